internal import Cryptography
internal import FoundationEssentials
internal import HTTPTypes
internal import Networking

/// One request and its answers: which proof goes with it, what each answer teaches, whether it is sent again.
struct DPoPExchange {
    let transport: any HTTPTransport
    let nonces: any NonceStore
    let clock: any ServerClock
    let now: @Sendable () -> Date
    let request: TransportRequest
    let key: DPoPKey
    let accessToken: AccessToken?
    let role: ServerRole
    let endpoint: OAuthError.Endpoint
    let body: DPoPClient.BodyMaker?

    /// The nonce of the latest answer; nil where it had none.
    var suppliedNonce: String?
    /// The offset as the answers of this exchange have it, whatever became of it in the store.
    private var offset: Int64
    /// The offset that the latest proof was made with.
    private var offsetOfProof: Int64 = 0
    private var hasAnsweredNonce = false
    private var hasCorrectedTime = false

    init(
        transport: any HTTPTransport, nonces: any NonceStore, clock: any ServerClock,
        now: @escaping @Sendable () -> Date, request: TransportRequest, key: DPoPKey,
        accessToken: AccessToken?, role: ServerRole, endpoint: OAuthError.Endpoint,
        body: DPoPClient.BodyMaker?
    ) {
        self.transport = transport
        self.nonces = nonces
        self.clock = clock
        self.now = now
        self.request = request
        self.key = key
        self.accessToken = accessToken
        self.role = role
        self.endpoint = endpoint
        self.body = body
        // What a file says is no better than what a server says.
        offset = Self.clamped(clock.offset(for: request.url.origin))
    }

    /// Sends the request with a fresh proof and learns from the head of the answer, whatever it is.
    mutating func send() async throws(OAuthError) -> TransportResponse {
        let request = try signed()
        let response: TransportResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw OAuthError(.transport(error), endpoint: endpoint)
        }
        learn(from: response.headerFields)
        return response
    }

    /// The request with a fresh proof, good for one sending.
    mutating func signed() throws(OAuthError) -> TransportRequest {
        var request = request
        if let accessToken { request.headerFields[.authorization] = "DPoP \(accessToken.reveal())" }
        do {
            offsetOfProof = offset
            let issuedAt = now().addingTimeInterval(Double(offset - Self.backdating))
            request.headerFields.dpopProof = try proof(issuedAt: issuedAt)
            if let body { request.body = .bytes(try body(issuedAt)) }
        } catch {
            throw OAuthError(.cryptography(error), endpoint: endpoint)
        }
        return request
    }

    /// Reads the body of an answer.
    ///
    /// - Parameter truncates: whether a body that is too long is cut off rather than refused.
    func collect(
        _ response: TransportResponse, truncates: Bool
    ) async throws(OAuthError) -> [UInt8] {
        do {
            return try await truncates
                ? response.body.beginning(upTo: DPoPClient.longestBody)
                : response.body.collect(upTo: DPoPClient.longestBody)
        } catch {
            throw OAuthError(.transport(error), endpoint: endpoint)
        }
    }

    /// Whether the server only wants another proof, and will get one; each reason counts once.
    ///
    /// - Throws: ``OAuthError/Code/nonceRefused`` where a new nonce would change nothing.
    mutating func mustSendAgain(after challenge: ProofChallenge?) throws(OAuthError) -> Bool {
        switch challenge {
        case .nonce:
            guard !hasAnsweredNonce, suppliedNonce != nil else {
                throw OAuthError(.nonceRefused, endpoint: endpoint)
            }
            hasAnsweredNonce = true
            return true
        case .invalidProof:
            guard !hasCorrectedTime, isProofFromAnotherTime else { return false }
            hasCorrectedTime = true
            return true
        case .invalidToken, nil: return false
        }
    }

    /// Whether the latest proof was made by a clock that the server's turned out to differ from.
    var isProofFromAnotherTime: Bool {
        let lead = offsetOfProof - offset
        return lead > Self.backdating || lead <= -Self.significantChange
    }

    private func proof(issuedAt: Date) throws(CryptographyError) -> String {
        let nonce = suppliedNonce ?? nonces.nonce(for: request.url.origin, role: role)
        return try DPoPProof.make(
            key: key, method: request.method, url: request.url, issuedAt: issuedAt, nonce: nonce,
            accessToken: accessToken)
    }

    private mutating func learn(from headerFields: HTTPFields) {
        suppliedNonce = headerFields.suppliedNonce
        if let suppliedNonce { nonces.remember(suppliedNonce, for: request.url.origin, role: role) }
        guard let serverTime = headerFields.serverTime else { return }
        let found = Self.clamped(serverTime - Int64(now().timeIntervalSince1970.rounded(.down)))
        guard abs(found - offset) >= Self.noise else { return }
        offset = found
        clock.remember(offset: found, for: request.url.origin)
    }

    private static func clamped(_ offset: Int64) -> Int64 { min(max(offset, -86_400), 86_400) }

    /// Seconds that proofs are dated back, since some servers refuse the future outright (protocol:13.1).
    private static let backdating: Int64 = 5
    /// Seconds that a `Date` field may be off by being rounded and having travelled.
    private static let noise: Int64 = 2
    /// Seconds behind the server's clock that make another proof worth sending; ahead of it is always too much.
    private static let significantChange: Int64 = 10
}
