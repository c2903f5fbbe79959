internal import ATPCryptography
internal import ATPJSON
internal import ATPNetworking

/// The private key that a session is bound to, wherever it is: in memory as ``DPoPKey``, in a security chip or in another
/// process. Every session needs a key of its own (RFC 9449 §5).
///
/// A signature is asked for once per attempt of a request. The request is not sent if `sign` throws.
public protocol ProofSigner: Sendable {
    /// The public half of the key. It never changes, because tokens are bound to it.
    var publicKey: PublicJWK { get }

    /// Signs the SHA-256 digest of a message with ECDSA on P-256.
    ///
    /// - Parameter message: the bytes that are hashed and signed (RFC 7515 §5.1).
    /// - Returns: r and s, 32 bytes each (RFC 7518 §3.4). This is not the DER form that many chips and tools return.
    /// - Throws: any error. Its text appears in messages, so it must hold no secret.
    func sign(_ message: [UInt8]) async throws -> [UInt8]
}

extension ProofSigner {
    /// The SHA-256 thumbprint of the public key in base64url (RFC 7638 §3). Tokens are bound to it.
    package var thumbprint: String { publicKey.thumbprint }

    /// Signs claims as a proof, with the public key in the header (RFC 9449 §4.2).
    func proof(_ claims: JSONValue) async throws(CryptographyError) -> String {
        let message = "\(publicKey.proofHeader).\(JWS.encoded(claims))"
        return "\(message).\(Base64URL.encode(try await signature(of: Array(message.utf8))))"
    }

    private func signature(of message: [UInt8]) async throws(CryptographyError) -> [UInt8] {
        let signature: [UInt8]
        do {
            signature = try await sign(message)
        } catch let error as CryptographyError {
            throw error
        } catch {
            throw .operationFailed("the proof signer: \(UntrustedText.harmless("\(error)"))")
        }
        guard signature.count == 64 else {
            throw .operationFailed("the proof signer: a signature of \(signature.count) bytes, not 64")
        }
        return signature
    }
}
