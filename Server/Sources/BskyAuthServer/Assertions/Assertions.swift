internal import ATPNetworking
internal import BskyAuthRows
internal import FoundationEssentials
internal import HTTPTypes
internal import Logging
internal import OAuthDPoP

/// Makes client assertions for sessions that are elsewhere, so that only this server has the client's keys
/// (proposal 0010 of bluesky-social).
struct Assertions: Sendable {
    let settings: AssertionSettings
    let clientID: String
    /// The address of the endpoint, which proofs name.
    let endpoint: String
    let policy: NetworkPolicy
    /// The client's keys, the newest last.
    let keys: [ClientKey]
    let rows: any RowStore
    let enrolments: Enrolments
    let sessionKeys: SessionKeys
    let hook: AdmissionHook?
    let limits: AssertionLimits
    let nonces: ProofNonces
    let log: Logger
    let now: @Sendable () -> Date

    static let path = "/oauth/client-assertion"

    /// How far the time of a proof may be from the server's.
    static let window: TimeInterval = 60

    init(
        _ settings: AssertionSettings, _ configuration: Configuration, keys: [ClientKey], rows: any RowStore,
        log: Logger, now: @escaping @Sendable () -> Date
    ) throws {
        self.settings = settings
        clientID = configuration.clientID
        endpoint = "\(configuration.baseURL)\(Self.path)"
        policy = configuration.policy
        self.keys = keys
        self.rows = rows
        enrolments = Enrolments(rows: rows, now: now)
        sessionKeys = SessionKeys(rows: rows, idle: settings.keysIdle, now: now)
        hook =
            settings.hook.isEmpty ? nil : AdmissionHook(settings.hook, limit: settings.hookTimeout, log: log)
        limits = AssertionLimits(settings.limits, now: now)
        nonces = try ProofNonces(now: now)
        self.log = log
        self.now = now
    }

    /// The parts of a request besides its proof.
    struct Facts: Sendable {
        let audience: String
        let client: Client
        /// The certificate of the connection, as a trusted proxy names it.
        let certificate: String?
        let code: String?
        /// The attestation of the device's platform, for the hook.
        let attestation: String?
    }

    /// Makes an assertion for the holder of a session key.
    ///
    /// - Parameter proof: the one `DPoP` field of the request; nil if there is none or several.
    func make(_ proof: String?, _ facts: Facts) async throws -> String {
        let proof = try read(proof)
        guard isAudience(facts.audience) else {
            throw Problem(
                .badRequest, "invalid_request",
                "aud is not the issuer of an authorization server that this backend serves. Send its origin, "
                    + "such as https://bsky.social.")
        }
        try limits.count(key: proof.thumbprint)
        try await remember(proof)
        guard !settings.denied.contains(proof.thumbprint) else { throw Self.denied }
        let present = try await sessionKeys.find(proof.thumbprint)
        // Looked for before a code is spent, so that it is not spent for nothing.
        _ = try key(present?.kid ?? newest, of: proof.thumbprint)
        let enrolment = try await admit(proof.thumbprint, isEnrolled: present?.enrolment != nil, facts)
        let kid = try await sessionKeys.note(proof.thumbprint, kid: newest, enrolment: enrolment)
        return try await key(kid, of: proof.thumbprint).assertion(
            clientID: clientID, issuer: facts.audience, issuedAt: now(), boundTo: proof.key)
    }

    /// Notes an error of this server. The program may ask again.
    func failed(_ error: any Error) -> Problem {
        log.error("no assertion was made: \(error)")
        return Problem(
            .serviceUnavailable, "temporarily_unavailable",
            "The backend could not make an assertion. The session still exists. Try again later.",
            retryAfter: 30)
    }

    // MARK: Proofs

    private func read(_ text: String?) throws -> SessionProof {
        guard let text else { throw Self.invalid("the request must have one") }
        let proof: SessionProof
        do { proof = try SessionProof(text) } catch { throw Self.invalid(error.words) }
        guard proof.method == "POST" else { throw Self.invalid("its htm is not POST") }
        guard isHere(proof.url) else { throw Self.invalid("its htu is not \(endpoint)") }
        guard !keys.contains(where: { $0.keyID == proof.thumbprint }) else {
            throw Self.invalid("its key is one of the client")
        }
        guard let nonce = proof.nonce, nonces.isGood(nonce) else {
            throw Problem(
                .badRequest, "use_dpop_nonce",
                "Send the request again, with the nonce of DPoP-Nonce in the proof.")
        }
        guard abs(proof.issuedAt.timeIntervalSince(now())) <= Self.window else {
            throw Self.invalid("its iat is not the present time")
        }
        return proof
    }

    /// Whether a proof is for this endpoint. In a test network programs reach the server at its socket.
    private func isHere(_ text: String) -> Bool {
        if text == endpoint { return true }
        guard policy.devNetwork != nil, let url = try? HTTPURL(validating: text) else { return false }
        return policy.refusal(of: url) == nil && url.path == Self.path && url.query == nil
    }

    /// Refuses a proof that was used before. The note may be lost with the power: then the nonce is no longer good either.
    private func remember(_ proof: SessionProof) async throws {
        let key = "proof/\(Digest.text(of: "\(proof.thumbprint) \(proof.id)"))"
        let written = try await rows.put(
            key, [], expiry: now() + 2 * ProofNonces.step + Self.window, if: .absent, durability: .buffered)
        guard written != nil else { throw Self.invalid("it was used before") }
    }

    /// An origin, https but in a test network.
    private func isAudience(_ text: String) -> Bool {
        guard let url = try? HTTPURL(validating: text), text == url.origin.description,
            url.origin.scheme == .https || policy.devNetwork != nil && policy.refusal(of: url) == nil
        else { return false }
        return settings.audiences.isEmpty || settings.audiences.contains(text)
    }

    // MARK: Admission

    /// - Returns: what has admitted the key for good; nil if it has to be admitted again at each request, or was before.
    private func admit(
        _ thumbprint: String, isEnrolled: Bool, _ facts: Facts
    ) async throws -> SessionKeys.Enrolment? {
        if isEnrolled || settings.allowed.contains(thumbprint) { return nil }
        if let certificate = facts.certificate, settings.certificates.contains(certificate) { return nil }
        if settings.takesCodes, let code = facts.code {
            guard let name = try await enrolments.spend(code, for: thumbprint) else { throw Self.denied }
            return .code(name: name)
        }
        guard let hook else { throw Self.denied }
        let admits = try await hook.admits(
            AdmissionHook.Facts(
                thumbprint: thumbprint, audience: facts.audience, client: facts.client.description,
                certificate: facts.certificate, attestation: facts.attestation))
        guard admits else { throw Self.denied }
        return .hook
    }

    /// The kid of the newest key, which signs for new session keys.
    private var newest: String { keys.last?.keyID ?? "" }

    /// The client key of a session key. Another is never taken, because the reference server then ends the session.
    private func key(_ kid: String, of thumbprint: String) throws -> ClientKey {
        guard let key = keys.first(where: { $0.keyID == kid }) else {
            log.error(
                "the session key \(thumbprint) needs the client key \(kid), which is not there. Restore it.")
            throw Problem(
                .serviceUnavailable, "temporarily_unavailable",
                "The client key of this session is not there. The operator of the backend can restore it. "
                    + "The session still exists.", retryAfter: 300)
        }
        return key
    }

    private static func invalid(_ words: String) -> Problem {
        Problem(.badRequest, "invalid_dpop_proof", "The proof is refused: \(words).")
    }

    private static let denied = Problem(
        .forbidden, "access_denied",
        "This session key is not admitted. Ask the operator of the backend how it can be.")
}
