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
            "DPoP algs=\"\(SigningAlgorithms.accepted.joined(separator: " "))\", error=\"\(code.rawValue)\""
        return message.contains("\"") ? start : start + ", error_description=\"\(message)\""
    }
}

/// The algorithms of proofs and client assertions. The reference server has more, ES256K among them, but GnuTLS does not
/// have that curve, and a client may choose any algorithm that is offered.
enum SigningAlgorithms {
    static let accepted = ["ES256"]
}
