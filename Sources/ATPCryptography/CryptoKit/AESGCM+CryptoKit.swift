#if canImport(CryptoKit)
    internal import CryptoKit
    internal import Foundation

    extension AESGCM {
        static func encrypt(
            _ plaintext: SecretBytes, _ key: SecretBytes, _ nonce: [UInt8], _ data: [UInt8]
        ) throws(CryptographyError) -> [UInt8] {
            do {
                let box = try unsafe plaintext.withUnsafeBytes { plaintext in
                    try unsafe AES.GCM.seal(
                        plaintext, using: SymmetricKey(key), nonce: AES.GCM.Nonce(data: nonce),
                        authenticating: data)
                }
                return Array(box.ciphertext) + Array(box.tag)
            } catch {
                throw .operationFailed("AES-GCM")
            }
        }

        static func decrypt(
            _ sealed: [UInt8], _ key: SecretBytes, _ nonce: [UInt8], _ data: [UInt8]
        ) throws(CryptographyError) -> SecretBytes {
            let end = sealed.count - tagLength
            do {
                let box = try AES.GCM.SealedBox(
                    nonce: AES.GCM.Nonce(data: nonce), ciphertext: sealed[..<end], tag: sealed[end...])
                return .clearing(try AES.GCM.open(box, using: SymmetricKey(key), authenticating: data))
            } catch {
                // All lengths are right, so only the tag can be wrong.
                throw .authenticationFailed
            }
        }
    }

    extension SymmetricKey {
        init(_ secret: SecretBytes) {
            self = unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
        }
    }

    extension SecretBytes {
        /// Copies data that nothing else references, and overwrites it.
        static func clearing(_ data: consuming Data) -> SecretBytes {
            unsafe data.withUnsafeMutableBytes { bytes in
                defer { unsafe Memory.clear(bytes.baseAddress, bytes.count) }
                return unsafe SecretBytes(bytes)
            }
        }
    }
#endif
