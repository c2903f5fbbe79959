internal import HTTPTypes
internal import Networking

/// What a server finds wrong with the proof or the token of a request.
enum ProofChallenge: Hashable {
    /// `use_dpop_nonce` (RFC 9449 §8, §9). A `DPoP-Nonce` field alone is no such demand.
    case nonce
    /// `invalid_dpop_proof` (RFC 9449 §5, §7.1), or ``vague``.
    case invalidProof
    /// `invalid_token` (RFC 6750 §3.1), in any of its spellings.
    case invalidToken

    /// What cocoon says with 400 of a proof that it does not take (cases 161-173, 405-418), and others of
    /// requests with another fault: only clocks that differ tell which.
    private static let vague = "InvalidRequest"

    /// Reads an authorization server's answer: 400 by the RFC, 401 in practice (protocol:R57, 4a).
    init?(ofAuthorizationServer response: FetchedResponse) {
        guard response.status == 400 || response.status == 401 else { return nil }
        let error = OAuthErrorResponse(
            status: response.status, headerFields: response.headerFields, body: response.body)
        switch error.error {
        case "use_dpop_nonce": self = .nonce
        case "invalid_dpop_proof", Self.vague: self = .invalidProof
        default: return nil
        }
    }

    /// Reads a resource server's 401, which may say it in a header field or in its body (protocol:R57), or
    /// its 400.
    init?(ofResourceServer headerFields: HTTPFields, status: Int, body: [UInt8]) {
        let inBody = OAuthErrorResponse(status: status, headerFields: headerFields, body: body).error
        guard status == 401 else {
            guard status == 400, inBody == Self.vague else { return nil }
            self = .invalidProof
            return
        }
        let errors = [WWWAuthenticate(headerFields: headerFields).dpopError, inBody].compactMap(\.self)
        if errors.contains("use_dpop_nonce") {
            self = .nonce
        } else if errors.contains("invalid_dpop_proof") {
            self = .invalidProof
        } else if errors.contains(where: ["invalid_token", "InvalidToken", "ExpiredToken"].contains) {
            self = .invalidToken
        } else {
            return nil
        }
    }
}
