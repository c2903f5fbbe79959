internal import ATPCryptography
internal import ATPNetworking
internal import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// One request and its attempts: makes the proofs, learns from each response, decides on a retry.
struct DPoPExchange {
    let transport: any HTTPTransport
    let nonces: any NonceStore
    let clock: any ServerClock
    let now: @Sendable () -> Date
    let request: TransportRequest
    let key: any ProofSigner
    let accessToken: AccessToken?
    let role: ServerRole
    let endpoint: OAuthError.Endpoint
    let body: DPoPClient.BodyMaker?

    /// The nonce of the latest response. Nil if it had none.
    var suppliedNonce: String?
    /// The offset of the server's clock as this exchange knows it. The store may have lost it.
    private var offset: Int64
    /// The offset in the latest proof.
    private var offsetOfProof: Int64 = 0
    /// When the first attempt began.
    private var beginning: ContinuousClock.Instant?
    private var hasAnsweredNonce = false
    private var hasCorrectedTime = false

    init(
        transport: any HTTPTransport, nonces: any NonceStore, clock: any ServerClock,
        now: @escaping @Sendable () -> Date, request: TransportRequest, key: any ProofSigner,
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
        offset = clock.offset(for: request.url.origin)
    }

    /// Sends the request with a new proof. Learns the nonce and the clock from the header of any response.
    mutating func send() async throws(OAuthError) -> TransportResponse {
        let begin = beginning ?? .now
        beginning = begin
        var request = try await signed()
        let spent = begin.duration(to: .now)
        // All attempts and their preparation have the time of the request together, because a process that finds an
        // unanswered refresh waits for that time only.
        request.timeouts.total = request.timeouts.total.map { max(.milliseconds(1), $0 - spent) }
        if let sentBy = request.sentBy {
            // Also for a transport that does not look at it itself.
            guard sentBy > .now else {
                let url = request.url.description
                throw OAuthError(
                    .transport(TransportError(.timedOut, requestWasSent: false, url: url)), endpoint: endpoint
                )
            }
            request.timeouts.connect = min(request.timeouts.connect, ContinuousClock.now.duration(to: sentBy))
        }
        let response: TransportResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw OAuthError(.transport(error), endpoint: endpoint)
        }
        learn(from: response.headerFields)
        return response
    }

    /// The request with a new proof, for one attempt.
    mutating func signed() async throws(OAuthError) -> TransportRequest {
        var request = request
        if let accessToken { request.headerFields[.authorization] = "DPoP \(accessToken.reveal())" }
        offsetOfProof = correction
        // The body first: it may come from another server, and servers take only new proofs.
        if let body { request.body = .bytes(try await body(issueTime)) }
        do { request.headerFields.dpopProof = try await proof(issuedAt: issueTime) } catch {
            throw OAuthError(.cryptography(error), endpoint: endpoint)
        }
        return request
    }

    /// Reads the body of a response.
    ///
    /// - Parameter truncates: whether to cut off a body that is too long. Otherwise such a body is an error.
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

    /// Whether to send the request again with another proof. Each reason counts once.
    ///
    /// - Throws: ``OAuthError/Code/nonceRefused`` if a retry would not help.
    mutating func shouldRetry(after challenge: ProofChallenge?) throws(OAuthError) -> Bool {
        switch challenge {
        case .nonce:
            guard !hasAnsweredNonce, suppliedNonce != nil else {
                throw OAuthError(.nonceRefused, endpoint: endpoint)
            }
            hasAnsweredNonce = true
            return true
        case .invalidProof, .invalidClient:
            guard !hasCorrectedTime, isProofFromAnotherTime else { return false }
            hasCorrectedTime = true
            return true
        case .invalidToken, nil: return false
        }
    }

    /// Whether the latest proof was dated by a clock that differs from the server's.
    var isProofFromAnotherTime: Bool {
        let lead = offsetOfProof - correction
        return lead > Self.backdating || lead <= -Self.significantChange
    }

    /// The issue time of what is signed now.
    private var issueTime: Date { now().addingTimeInterval(Double(offsetOfProof - Self.backdating)) }

    private func proof(issuedAt: Date) async throws(CryptographyError) -> String {
        let nonce = suppliedNonce ?? nonces.nonce(for: request.url.origin, role: role)
        return try await DPoPProof.make(
            key: key, method: request.method, url: request.url, issuedAt: issuedAt, nonce: nonce,
            accessToken: accessToken)
    }

    private mutating func learn(from headerFields: HTTPFields) {
        suppliedNonce = headerFields.suppliedNonce
        if let suppliedNonce { nonces.remember(suppliedNonce, for: request.url.origin, role: role) }
        guard let serverTime = headerFields.serverTime else { return }
        let found = serverTime - Int64(now().timeIntervalSince1970.rounded(.down))
        guard abs(found - offset) >= Self.noise else { return }
        offset = found
        clock.remember(offset: found, for: request.url.origin)
    }

    /// The part of the offset that proofs are corrected by: at most a day, because a server names it.
    private var correction: Int64 { min(max(offset, -86_400), 86_400) }

    /// Proofs are dated back by this many seconds, because some servers refuse any time in the future
    /// (protocol:13.1).
    private static let backdating: Int64 = 5
    /// How many seconds a `Date` field may be off by rounding and transfer time.
    private static let noise: Int64 = 2
    /// A proof this many seconds behind the server's clock is worth a retry. A proof ahead of it always is.
    private static let significantChange: Int64 = 10
}
