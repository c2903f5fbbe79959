internal import ATPNetworking
internal import HTTPTypes

/// A server's complaint about the proof or the token of a request.
enum ProofChallenge: Hashable {
    /// `use_dpop_nonce` (RFC 9449 §8, §9). A `DPoP-Nonce` field alone does not ask for a nonce.
    case nonce
    /// `invalid_dpop_proof` (RFC 9449 §5, §7.1), or ``vague``.
    case invalidProof
    /// `invalid_client` (RFC 6749 §5.2). Only a difference between the clocks shows that the time of the assertion is
    /// meant.
    case invalidClient
    /// `invalid_token` (RFC 6750 §3.1), in any of its spellings.
    case invalidToken

    /// The code that cocoon sends with 400 for a refused proof (cases 161-173, 405-418). Other servers send it for
    /// other faults, so only a difference between the clocks shows that the proof is meant.
    private static let vague = "InvalidRequest"

    /// Reads the response of an authorization server. The RFC says 400, some servers send 401 (protocol:R57; protocol:AS-errors).
    init?(ofAuthorizationServer response: FetchedResponse) {
        guard response.status == 400 || response.status == 401 else { return nil }
        let error = OAuthErrorResponse(
            status: response.status, headerFields: response.headerFields, body: response.body)
        switch error.error {
        case "use_dpop_nonce": self = .nonce
        case "invalid_dpop_proof", Self.vague: self = .invalidProof
        case "invalid_client": self = .invalidClient
        default: return nil
        }
    }

    /// Reads the response of a resource server: a 401 with the error in a header field or in the body
    /// (protocol:R57), or a 400.
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
