#if !canImport(CryptoKit)
    extension P256PublicKey {
        /// - Parameter point: uncompressed, 65 bytes.
        static func isOnCurve(_ point: [UInt8]) -> Bool { OpenSSLECDSA.isOnCurve(.p256, point) }

        /// - Parameter signature: r and s, 64 bytes.
        func hasMade(_ signature: [UInt8], of message: [UInt8]) -> Bool {
            OpenSSLECDSA.verifies(signature, of: message, .p256, uncompressed)
        }
    }
#endif
