internal import ATPNetworking
internal import HTTPTypes

/// Fetches small documents from untrusted servers. The policy must allow the URL, and time and size are limited
/// (protocol:R7).
struct IdentityFetcher: Sendable {
    let transport: any HTTPTransport
    let policy: NetworkPolicy

    /// Fetches a document with GET.
    func get(
        _ url: HTTPURL, accept: String, limit: Int, step: IdentityError.Step, subject: String
    ) async throws(IdentityError) -> FetchedResponse {
        func failure(_ error: TransportError) -> IdentityError {
            IdentityError(.transport(error), step: step, subject: subject, url: url.withoutQuery)
        }
        if let refusal = policy.refusal(of: url) {
            throw failure(TransportError(.refused(refusal), requestWasSent: false, url: url.withoutQuery))
        }
        let request = TransportRequest(
            method: .get, url: url, headerFields: [.accept: accept], timeouts: Self.timeouts)
        do {
            return try await transport.fetch(request, limit: limit)
        } catch {
            throw failure(error)
        }
    }

    static let timeouts = Timeouts(connect: .seconds(5), total: .seconds(10))
}

extension Int {
    /// Whether the status is a client error that is final. Time-outs, "too early" and rate limits are temporary.
    var isDefiniteRefusal: Bool {
        (400..<500).contains(self) && ![408, 425, 429].contains(self)
    }

    var isRedirection: Bool { (300..<400).contains(self) }
}
