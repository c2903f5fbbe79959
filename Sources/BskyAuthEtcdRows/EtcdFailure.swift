internal import ATPJSON
internal import ATPNetworking
internal import BskyAuthRows

/// Why a node gave no result.
struct EtcdFailure: Error {
    let error: RowStoreError
    /// Whether another node may do better.
    let concernsNode: Bool
    /// Whether etcd takes the user's token no longer, and a new login helps. The request was not done.
    let needsLogin: Bool

    init(
        _ text: String, _ outcome: RowStoreError.Outcome, _ code: RowStoreError.Code,
        concernsNode: Bool = false
    ) {
        error = RowStoreError(text, outcome: outcome, code: code)
        self.concernsNode = concernsNode
        needsLogin = false
    }

    /// The same failure of a request that changes nothing, so that nothing was done.
    init(reading failure: EtcdFailure) {
        error = RowStoreError(failure.error.description, outcome: .notDone, code: failure.error.code)
        concernsNode = failure.concernsNode
        needsLogin = failure.needsLogin
    }

    /// The answer of a node has another form than etcd gives it. A write may have happened.
    static func unreadable(_ node: Origin) -> EtcdFailure {
        EtcdFailure("the answer of etcd at \(node) can't be read", .unknown, .unreadable, concernsNode: true)
    }

    /// The failure of a request that got no answer.
    init(_ failure: TransportError, node: Origin) {
        let code: RowStoreError.Code =
            switch failure.code {
            case .untrusted, .handshakeFailed: .untrusted
            case .timedOut: .timedOut
            case .cancelled: .cancelled
            default: .unreachable
            }
        error = RowStoreError(
            "etcd at \(node): \(failure.description)", outcome: failure.requestWasSent ? .unknown : .notDone,
            code: code)
        concernsNode = failure.code != .cancelled
        needsLogin = false
    }

    /// The failure of a request that etcd answered with another status than 200.
    ///
    /// The numbers are those of gRPC (grpc.github.io/grpc/core/md_doc_statuscodes.html), and the texts those of etcd's
    /// `api/v3rpc/rpctypes/error.go`. A write that etcd
    /// refuses before it asks the cluster was not done. Every other write may have happened.
    init(status: Int, body: [UInt8], node: Origin) {
        // A proxy may answer in its own words. The status is all that is known then.
        let answer = try? JSONParser.parse(body)
        let text = answer?["message"]?.string ?? answer?["error"]?.string ?? "HTTP status \(status)"
        let number = answer?["code"]?.integer
        // A change of users or roles ends every JWT token. Older versions of etcd have no number of its own for it.
        let isOutdated = (number == 2 || number == 3) && Self.outdatedToken.contains(text)
        let (outcome, code): (RowStoreError.Outcome, RowStoreError.Code) =
            switch number {
            case 16: (.notDone, .credentialsRefused)
            case 2 where isOutdated: (.notDone, .failed)
            case 7: (.notDone, .permissionDenied)
            case 8: (.notDone, text.contains("space exceeded") ? .noSpace : .failed)
            case 9 where text.contains("authentication is not enabled"): (.notDone, .authenticationOff)
            case 3 where text.contains("user name is empty"): (.notDone, .credentialsNeeded)
            case 3 where text.contains("authentication failed"): (.notDone, .credentialsRefused)
            case 3, 5, 6, 9, 11, 12: (.notDone, .failed)
            case 4, 14: (.unknown, text.contains("request timed out") ? .timedOut : .noLeader)
            default: (.unknown, .failed)
            }
        error = RowStoreError(
            "etcd at \(node): \(UntrustedText.harmless(text))", outcome: outcome, code: code)
        concernsNode = outcome == .unknown
        needsLogin = number == 16 || isOutdated
    }

    /// The texts of `ErrAuthOldRevision`: that of the server's interface, and that of its module `auth`, which some versions
    /// pass on.
    private static let outdatedToken: Set = [
        "etcdserver: revision of auth store is old", "auth: revision in header is old",
    ]
}
