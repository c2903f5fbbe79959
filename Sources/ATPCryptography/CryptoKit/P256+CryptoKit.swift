#if canImport(CryptoKit)
    internal import CryptoKit
    internal import Foundation

    /// A private key of CryptoKit on P-256.
    struct P256SigningKey: Sendable {
        private let key: P256.Signing.PrivateKey

        /// A fresh random key.
        init() throws(CryptographyError) {
            key = P256.Signing.PrivateKey()
        }

        /// The key of a private scalar of 32 bytes.
        init(_ scalar: SecretBytes) throws(CryptographyError) {
            do {
                key = try unsafe scalar.withUnsafeBytes { bytes in
                    try unsafe P256.Signing.PrivateKey(rawRepresentation: bytes)
                }
            } catch {
                throw .invalidPrivateKey
            }
        }

        /// The key of a private scalar of 32 bytes and an uncompressed point.
        init(_ scalar: SecretBytes, uncompressed point: [UInt8]) throws(CryptographyError) {
            try self.init(scalar)
            guard try publicKey().uncompressed == point else { throw .invalidPrivateKey }
        }

        func publicKey() throws(CryptographyError) -> P256PublicKey {
            P256PublicKey(uncompressed: Array(key.publicKey.x963Representation))
        }

        func scalar() throws(CryptographyError) -> SecretBytes {
            .clearing(key.rawRepresentation)
        }

        func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
            do {
                return Array(try key.signature(for: message).rawRepresentation)
            } catch {
                throw .operationFailed("ES256")
            }
        }
    }

    extension P256PublicKey {
        /// - Parameter point: uncompressed, 65 bytes.
        static func isOnCurve(_ point: [UInt8]) -> Bool {
            (try? P256.Signing.PublicKey(x963Representation: point)) != nil
        }

        /// - Parameter signature: r and s, 64 bytes.
        func hasMade(_ signature: [UInt8], of message: [UInt8]) -> Bool {
            guard let key = try? P256.Signing.PublicKey(x963Representation: uncompressed),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        }
    }
#endif
