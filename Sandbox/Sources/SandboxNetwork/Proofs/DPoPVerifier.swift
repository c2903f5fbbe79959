import Foundation

/// Verifies the DPoP proofs sent to one role, in the order of the reference server.
///
/// First signature, `typ`, `iat`, then `jti`, `htm`, `htu`, nonce, `ath`. The replay check comes last, so that
/// a refused proof is not remembered (RFC 9449 §4.3, §8, §11.1; `protocol:R49`-`R57`).
struct DPoPVerifier: Sendable {
    let clock: SandboxClock
    let nonces: NonceSchedule
    let replays: ReplayMemory
    private let rules: ProofRules

    init(clock: SandboxClock, nonces: NonceSchedule, rules: ProofRules) {
        self.clock = clock
        self.nonces = nonces
        self.rules = rules
        replays = ReplayMemory(clock: clock, lifetime: 380)
    }

    /// Verifies the request's proof. Returns `nil` when the request has none.
    ///
    /// `url` is the public URL of the request. `accessToken` is the token of the request, at the PDS.
    func verify(_ exchange: Exchange, url: String, accessToken: String? = nil) throws(ProofFailure)
        -> DPoPProof?
    {
        let values = exchange.headerValues("dpop")
        guard let text = values.first else { return nil }
        guard values.count == 1 else {
            throw .invalidProof("DPoP header must contain a single proof")
        }
        guard let proof = CompactJWS(text) else {
            throw .invalidProof("Failed to verify DPoP proof: Invalid Compact JWS")
        }
        let hash = accessToken.map { Base64URL.encode(SHA256.digest(of: $0.utf8)) }
        exchange.note {
            var header = proof.header
            header.remove(at: "/jwk/d")
            $0.proof = ["header": header, "payload": proof.payload]
            $0.athMatches = hash.map { $0 == proof.payload["ath"]?.string }
        }
        let key = try key(of: proof)
        exchange.note { $0.jkt = key.thumbprint }
        try verifyIntegrity(proof, key)
        try verifyClaims(proof.payload, method: exchange.method, url: url, tokenHash: hash)
        return DPoPProof(jkt: key.thumbprint)
    }

    /// Writes the proof of a request into the journal without verifying it.
    func note(_ exchange: Exchange) {
        guard let proof = exchange.header("dpop").flatMap({ CompactJWS($0) }) else { return }
        let key = proof.header["jwk"].flatMap { JSONWebKey($0) }
        exchange.note {
            var header = proof.header
            header.remove(at: "/jwk/d")
            $0.proof = ["header": header, "payload": proof.payload]
            $0.jkt = key?.thumbprint
        }
    }

    private func key(of proof: CompactJWS) throws(ProofFailure) -> JSONWebKey {
        guard let json = proof.header["jwk"], json.members != nil else {
            throw .invalidProof(
                "Failed to verify DPoP proof: \"jwk\" (JSON Web Key) Header Parameter must be a JSON object")
        }
        guard json["d"] == nil else {
            throw .invalidProof(
                "Failed to verify DPoP proof: \"jwk\" (JSON Web Key) Header Parameter must be a public key")
        }
        guard let key = JSONWebKey(json) else {
            throw .invalidProof(
                "Failed to verify DPoP proof: unusable \"jwk\" (JSON Web Key) Header Parameter")
        }
        return key
    }

    private func verifyIntegrity(_ proof: CompactJWS, _ key: JSONWebKey) throws(ProofFailure) {
        guard proof.header["alg"]?.string == "ES256" else {
            throw .invalidProof(
                "Failed to verify DPoP proof: \"alg\" (Algorithm) Header Parameter value not allowed")
        }
        guard key.isValid(proof.signature, for: proof.signingInput) else {
            throw .invalidProof("Failed to verify DPoP proof: signature verification failed")
        }
        guard proof.header["typ"]?.string == "dpop+jwt" else {
            throw .invalidProof("Failed to verify DPoP proof: unexpected \"typ\" JWT header value")
        }
        guard let issued = proof.payload["iat"]?.integer else {
            throw .invalidProof("Failed to verify DPoP proof: missing required \"iat\" claim")
        }
        let age = clock.seconds - issued
        guard age <= rules.past else {
            throw .invalidProof(
                "Failed to verify DPoP proof: \"iat\" claim timestamp check failed (too far in the past)")
        }
        guard age >= -rules.future else {
            throw .invalidProof(
                "Failed to verify DPoP proof: \"iat\" claim timestamp check failed (it should be in the past)"
            )
        }
    }

    private func verifyClaims(
        _ payload: JSONValue,
        method: String,
        url: String,
        tokenHash: String?
    ) throws(ProofFailure) {
        guard let identifier = payload["jti"]?.string, !identifier.isEmpty else {
            throw .invalidProof("DPoP \"jti\" missing")
        }
        guard payload["htm"]?.string == method else { throw .invalidProof("DPoP \"htm\" mismatch") }
        guard let target = payload["htu"]?.string.flatMap(normalized), target == normalized(url) else {
            throw .invalidProof("DPoP \"htu\" mismatch")
        }
        if nonces.areUsed { try verifyNonce(payload["nonce"]?.string) }
        if let tokenHash {
            guard payload["ath"]?.string == tokenHash else { throw .invalidProof("DPoP \"ath\" mismatch") }
        } else if payload["ath"] != nil {
            throw .invalidProof("DPoP \"ath\" claim not allowed")
        }
        guard replays.insert(identifier) || !rules.areRemembered else {
            throw .invalidProof("DPoP proof replayed")
        }
    }

    private func verifyNonce(_ nonce: String?) throws(ProofFailure) {
        guard let nonce else {
            throw ProofFailure(
                code: .nonceNeeded, message: "Authorization server requires nonce in DPoP proof")
        }
        guard nonces.accepts(nonce) else {
            throw ProofFailure(code: .nonceNeeded, message: "DPoP \"nonce\" mismatch")
        }
    }

    /// Scheme, host, port and path, without query and fragment (case 164). Some servers ignore the path.
    private func normalized(_ text: String) -> String? {
        guard var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            let host = parts.host?.lowercased(), !host.isEmpty
        else { return nil }
        parts.scheme = scheme
        parts.host = host
        parts.query = nil
        parts.fragment = nil
        if (scheme == "http" && parts.port == 80) || (scheme == "https" && parts.port == 443) {
            parts.port = nil
        }
        if parts.path.isEmpty || rules.target == .host { parts.path = "/" }
        return parts.string
    }
}
