package import ATPCryptography

/// A P-256 key in memory, which a session is bound to. Every session has a key of its own (RFC 9449 §5, protocol:R55).
public final class DPoPKey: ProofSigner, CustomStringConvertible {
    private let pair: KeyPair

    /// A new random key.
    ///
    /// - Throws: ``OAuthFailure/Code/cryptography`` if the system has no random bytes, or OpenSSL can't make keys.
    public convenience init() throws(OAuthFailure) {
        do { try self.init(random: ()) } catch { throw OAuthFailure(error) }
    }

    /// A new random key, with the reason if there can be none.
    package init(random: Void) throws(CryptographyError) {
        pair = try KeyPair()
    }

    /// Reads the text of ``privateKeyText()``. It is not checked that the two halves of the key belong together, because
    /// the vault sealed them together. Call ``verify()`` for a key that comes from elsewhere.
    ///
    /// - Throws: ``CryptographyError/invalidPrivateKey`` if the text is not a private P-256 key.
    package init(privateKeyText text: String) throws(CryptographyError) {
        pair = try KeyPair(privateKeyText: text)
    }

    /// A stored key. It is checked that its two halves belong together.
    ///
    /// - Parameter text: the key as a JWK with `d`, as ``privateKeyText()`` writes it.
    /// - Throws: ``OAuthFailure/Code/cryptography`` if the text is not a private P-256 key.
    public convenience init(privateJWK text: String) throws(OAuthFailure) {
        do {
            try self.init(privateKeyText: text)
            try verify()
        } catch {
            throw OAuthFailure(error)
        }
    }

    /// The public half of the key.
    public var publicKey: PublicJWK { pair.publicKey }

    /// Checks that the private key is valid and that the public key belongs to it.
    package func verify() throws(CryptographyError) {
        try pair.verify()
    }

    /// The private key as a JWK (RFC 7517). Whoever has it and the tokens has the session.
    public func privateKeyText() -> String { pair.privateKeyText() }

    /// Signs a message with ES256 (RFC 7518 §3.4).
    ///
    /// - Throws: an error if OpenSSL can't sign.
    public func sign(_ message: [UInt8]) async throws -> [UInt8] { try pair.sign(message) }

    /// `<redacted>`.
    public var description: String { "<redacted>" }
}
