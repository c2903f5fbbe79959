#if canImport(CryptoKit)
    internal import CryptoKit
    internal import Foundation

    extension SHA256 {
        static func digest(_ message: [UInt8]) -> [UInt8] { Array(CryptoKit.SHA256.hash(data: message)) }
    }

    extension HMACSHA256 {
        static func code(_ key: SecretBytes, _ message: [UInt8]) -> [UInt8] {
            Array(HMAC<CryptoKit.SHA256>.authenticationCode(for: message, using: SymmetricKey(key)))
        }
    }

    extension HKDF {
        func key(_ info: [UInt8], _ count: Int) -> SecretBytes {
            let key = CryptoKit.HKDF<CryptoKit.SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(secret), salt: salt, info: info, outputByteCount: count)
            return unsafe key.withUnsafeBytes { unsafe SecretBytes($0) }
        }
    }
#endif
