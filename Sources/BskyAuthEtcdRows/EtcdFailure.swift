internal import ATPJSON
internal import ATPNetworking
internal import BskyAuthRows

/// Why a node gave no result.
struct EtcdFailure: Error {
    let error: RowStoreError
    /// Whether another node may do better.
    let concernsNode: Bool
    /// Whether the session of the user has ended, and a new login helps.
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
        let (outcome, code): (RowStoreError.Outcome, RowStoreError.Code) =
            switch answer?["code"]?.integer {
            case 16: (.notDone, .credentialsRefused)
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
        needsLogin = answer?["code"]?.integer == 16
    }
}
