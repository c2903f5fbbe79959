#if canImport(CryptoKit)
    internal import CryptoKit
    internal import Foundation

    extension ECDSAPublicKey {
        /// CryptoKit has no secp256k1.
        static func isOnCurve(_ curve: Curve, _ point: [UInt8]) -> Bool {
            curve == .p256 && (try? key(point)) != nil
        }

        func hasMade(_ signature: [UInt8], of message: [UInt8]) -> Bool {
            guard let key = try? Self.key(point),
                let value = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(value, for: message)
        }

        private static func key(_ point: [UInt8]) throws -> P256.Signing.PublicKey {
            point.count == 33
                ? try P256.Signing.PublicKey(compressedRepresentation: point)
                : try P256.Signing.PublicKey(x963Representation: point)
        }
    }
#endif
