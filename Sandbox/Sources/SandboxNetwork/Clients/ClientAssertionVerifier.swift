/// Verifies client assertions (RFC 7523 §3), in the order of the reference server (OP client.ts; `protocol:R78`, `R79`).
struct ClientAssertionVerifier: Sendable {
    let clock: SandboxClock
    let rules: AssertionRules
    /// Assertions are remembered for as long as the sandbox runs.
    private let replays: ReplayMemory

    init(clock: SandboxClock, rules: AssertionRules) {
        self.clock = clock
        self.rules = rules
        replays = ReplayMemory(clock: clock, lifetime: .infinity)
    }

    /// Authenticates a client with the assertion of its request. `audiences` are the names of this server.
    func verify(
        _ form: FormBody, of client: OAuthClient, audiences: [String], proof: DPoPProof?
    ) throws(OAuthFailure) -> ClientAuthentication {
        guard case .assertion(let keys) = client.method else { return .none }
        guard form["client_assertion_type"] == Self.type, let text = form["client_assertion"] else {
            throw OAuthFailure(
                "invalid_request",
                "client authentication method \"private_key_jwt\" required a \"client_assertion\"",
                reason: .assertionMissing)
        }
        guard let assertion = CompactJWS(text) else { throw Self.invalid("Invalid Compact JWS") }
        let key = try key(of: assertion, in: keys)
        let identifier = try verifyNames(assertion.payload, client.clientID, audiences)
        try verifyTimes(assertion.payload)
        guard key.publicKey.thumbprint != proof?.jkt else {
            throw OAuthFailure(
                "invalid_request",
                "The DPoP proof must be signed with a different key than the client assertion")
        }
        guard replays.insert(client.clientID + " " + identifier) || !rules.areRemembered else {
            throw .invalidGrant("private_key_jwt jti reused", .assertionReused)
        }
        return .key(id: key.id, algorithm: "ES256", thumbprint: key.publicKey.thumbprint)
    }

    /// Writes the assertion of a request into the journal, without its signature.
    func note(_ form: FormBody, of exchange: Exchange) {
        guard let assertion = form["client_assertion"].flatMap({ CompactJWS($0) }) else { return }
        exchange.note { $0.assertion = ["header": assertion.header, "payload": assertion.payload] }
    }

    private static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    private static func invalid(_ text: String) -> OAuthFailure {
        OAuthFailure(
            "invalid_client", "Validation of \"client_assertion\" failed: \(text)", reason: .assertionInvalid,
            subject: text)
    }

    /// The key that signed the assertion.
    private func key(of assertion: CompactJWS, in keys: [ClientKey]) throws(OAuthFailure) -> ClientKey {
        guard assertion.header["alg"]?.string == "ES256" else {
            throw Self.invalid("\"alg\" (Algorithm) Header Parameter value not allowed")
        }
        let id = assertion.header["kid"]?.string
        guard id != nil || !rules.needsKeyID else {
            throw OAuthFailure(
                "invalid_client", "\"kid\" required in client_assertion", reason: .assertionKeyMissing)
        }
        guard let key = keys.first(where: { $0.id == id }) ?? (rules.needsKeyID ? nil : keys.first) else {
            throw OAuthFailure(
                "invalid_client",
                "Validation of \"client_assertion\" failed: no applicable key found in the JSON Web Key Set",
                reason: .assertionKeyUnknown, subject: id ?? "")
        }
        guard key.publicKey.isValid(assertion.signature, for: assertion.signingInput) else {
            throw Self.invalid("signature verification failed")
        }
        return key
    }

    private func verifyTimes(_ payload: JSONValue) throws(OAuthFailure) {
        guard let issued = payload["iat"]?.integer else {
            throw Self.invalid("missing required \"iat\" claim")
        }
        let age = clock.seconds - issued
        guard age - rules.tolerance <= rules.past else {
            throw Self.invalid("\"iat\" claim timestamp check failed (too far in the past)")
        }
        guard age >= -rules.tolerance else {
            throw Self.invalid("\"iat\" claim timestamp check failed (it should be in the past)")
        }
        if let expiry = payload["exp"] {
            guard let expires = expiry.integer, expires > clock.seconds - rules.tolerance else {
                throw Self.invalid("\"exp\" claim timestamp check failed")
            }
        }
    }

    /// Checks who the assertion is from and for. Returns its `jti`.
    private func verifyNames(_ payload: JSONValue, _ clientID: String, _ audiences: [String])
        throws(OAuthFailure) -> String
    {
        for name in ["iss", "sub"] {
            guard let claim = payload[name]?.string, claim.utf8.elementsEqual(clientID.utf8) else {
                throw Self.invalid("unexpected \"\(name)\" claim value")
            }
        }
        let claimed =
            payload["aud"]?.array?.compactMap(\.string) ?? [payload["aud"]?.string].compactMap(\.self)
        guard claimed.contains(where: { audiences.contains($0) }) else {
            throw Self.invalid("unexpected \"aud\" claim value")
        }
        guard let identifier = payload["jti"]?.string, !identifier.isEmpty else {
            throw Self.invalid("missing required \"jti\" claim")
        }
        return identifier
    }
}
