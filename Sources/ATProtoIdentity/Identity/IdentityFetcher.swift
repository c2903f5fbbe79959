internal import ATPNetworking
internal import HTTPTypes

/// Fetches small documents from untrusted servers. The policy must allow the URL, and time and size are limited
/// (protocol:R7).
struct IdentityFetcher: Sendable {
    let transport: any HTTPTransport
    let policy: NetworkPolicy

    /// Fetches a document with GET. The limit is the size of the document; another answer's body is not read.
    func get(
        _ url: HTTPURL, accept: String, limit: Int, step: IdentityError.Step, subject: String
    ) async throws(IdentityError) -> IdentityAnswer {
        func failure(_ error: TransportError) -> IdentityError {
            IdentityError(.transport(error), step: step, subject: subject, url: url.withoutQuery)
        }
        if let refusal = policy.refusal(of: url) {
            throw failure(TransportError(.refused(refusal), requestWasSent: false, url: url.withoutQuery))
        }
        let request = TransportRequest(
            method: .get, url: url, headerFields: [.accept: accept], timeouts: Self.timeouts)
        do {
            let response = try await transport.send(request)
            return switch response.status {
            case 200..<300: .document(response.status, try await response.body.collect(upTo: limit))
            case 300..<400: .redirect(response.headerFields)
            case 404, 410: .absent
            default: .unclear(response.status, response.body)
            }
        } catch {
            throw failure(error)
        }
    }

    static let timeouts = Timeouts(connect: .seconds(5), total: .seconds(10))
}

/// An answer, sorted by what its status says about the identifier.
enum IdentityAnswer: Sendable {
    /// A status of success, and the whole body.
    case document(Int, [UInt8])
    /// The server has nothing under this identifier. No other status proves that.
    case absent
    /// A redirect, and its header fields.
    case redirect(HTTPFields)
    /// The server refused or failed, so the identifier may exist. The body is unread.
    case unclear(Int, ResponseBody)
}
