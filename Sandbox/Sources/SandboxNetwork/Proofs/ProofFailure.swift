/// The reason why a DPoP proof or its access token was refused.
///
/// The authorization server and the PDS put the same reason into different answers (`protocol:R57`).
struct ProofFailure: Error {
    enum Code: String {
        case nonceNeeded = "use_dpop_nonce"
        case invalidProof = "invalid_dpop_proof"
        case invalidToken = "invalid_token"
    }

    let code: Code
    let message: String

    static func invalidProof(_ message: String) -> ProofFailure {
        ProofFailure(code: .invalidProof, message: message)
    }

    static func invalidToken(_ message: String) -> ProofFailure {
        ProofFailure(code: .invalidToken, message: message)
    }

    /// The challenge (RFC 9449 §7.1). The reference server leaves out a description that would need quoting.
    var challenge: String {
        let start =
            "DPoP algs=\"\(SigningAlgorithms.asymmetric.joined(separator: " "))\", error=\"\(code.rawValue)\""
        return message.contains("\"") ? start : start + ", error_description=\"\(message)\""
    }
}

/// The JWS algorithm names the reference server advertises.
enum SigningAlgorithms {
    static let asymmetric = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES256K", "ES384", "ES512",
    ]
}
