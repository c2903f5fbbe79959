/// A DPoP proof that has been verified (RFC 9449 §4.3).
struct DPoPProof: Sendable {
    /// Thumbprint of the key that signed it.
    let jkt: String
}
