package import ATPCryptography
package import ATPNetworking
internal import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Asks an assertion backend for assertions, as the holder of a session key.
package struct AssertionRequester: Sendable {
    private let backend: AssertionBackend
    private let key: any ProofSigner
    private let sender: DPoPClient
    private let clock: any ServerClock
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - key: the key of the session.
    ///   - now: the time of this machine.
    package init(
        _ backend: AssertionBackend, key: any ProofSigner, transport: any HTTPTransport,
        nonces: any NonceStore, clock: any ServerClock, now: @escaping @Sendable () -> Date
    ) {
        self.backend = backend
        self.key = key
        self.clock = clock
        self.now = now
        sender = DPoPClient(transport: transport, nonces: nonces, clock: clock, now: now)
    }

    /// The first assertion of a session key, which says who the client is.
    ///
    /// - Parameters:
    ///   - issuer: the authorization server.
    ///   - code: the one-time code that admits the key; nil if something else does.
    package func enrol(at issuer: Issuer, code: SecretBytes?) async throws(OAuthError) -> BackendAssertion {
        var form: FormParameters = ["aud": issuer.description]
        if let code { form.append("enrolment_code", String(decoding: code.bytes, as: UTF8.self)) }
        return try await ask(form, issuer.description, known: nil)
    }

    /// An assertion of a key that is admitted.
    ///
    /// - Parameter known: the client and the key of the session.
    func assertion(
        for issuer: String, known: (clientID: ClientID, keyID: String)
    ) async throws(OAuthError) -> String {
        try await ask(["aud": issuer], issuer, known: known).text
    }

    private func ask(
        _ form: FormParameters, _ issuer: String, known: (clientID: ClientID, keyID: String)?
    ) async throws(OAuthError) -> BackendAssertion {
        let endpoint = OAuthError.Endpoint.clientAssertion
        var request = TransportRequest(
            method: .post, url: backend.endpoint,
            headerFields: [
                .contentType: "application/x-www-form-urlencoded", .accept: "application/json",
            ],
            body: .bytes(Array(form.encoded.utf8)), timeouts: .metadata, needsFreshConnection: true)
        request.clientCertificate = backend.certificate
        let response = try await sender.sendToAuthorizationServer(request, key: key, endpoint: endpoint)
        guard response.status == 200 else {
            let error = OAuthErrorResponse(
                status: response.status, headerFields: response.headerFields, body: response.body)
            throw OAuthError(
                .response(error), endpoint: endpoint, skew: sender.skew(of: backend.endpoint, after: error))
        }
        let time = Int64(now().timeIntervalSince1970) + clock.offset(for: backend.origin)
        return try BackendAssertion(
            response.body,
            for: BackendAssertion.Purpose(
                issuer: issuer, thumbprint: key.thumbprint, now: time, known: known))
    }
}
