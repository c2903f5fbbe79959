internal import HTTPTypes
internal import Networking

/// Fetches small documents from servers that anyone may name, so nothing about them is trusted: the policy is
/// asked first, the time is short, the size is bounded (protocol:R7).
struct IdentityFetcher: Sendable {
    let transport: any HTTPTransport
    let policy: NetworkPolicy

    /// Asks for a document.
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
    /// A client error that says no for good; time-outs, "too early" and rate limits only say "not now".
    var isDefiniteRefusal: Bool {
        (400..<500).contains(self) && ![408, 425, 429].contains(self)
    }

    var isRedirection: Bool { (300..<400).contains(self) }
}
