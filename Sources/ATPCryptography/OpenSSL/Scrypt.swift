#if !canImport(CryptoKit)
    internal import CATPOpenSSL

    /// scrypt (RFC 7914), for passphrases. CryptoKit does not have it.
    package enum Scrypt {
        /// The cost of a derivation.
        package struct Parameters: Sendable, Hashable {
            /// The number of rounds and of blocks of memory, a power of two.
            package let n: UInt64
            package let r: UInt64
            package let p: UInt64

            package init(n: UInt64, r: UInt64, p: UInt64) {
                self.n = n
                self.r = r
                self.p = p
            }

            /// The cost of new passphrases. It needs 128 MiB.
            package static let standard = Parameters(n: 1 << 17, r: 8, p: 1)

            /// Whether the cost is acceptable in a file from an unknown source: at most twice the memory and four times
            /// the work of ``standard``.
            package var isAcceptable: Bool {
                n >= 2 && n.nonzeroBitCount == 1 && n <= 1 << 20 && (1...16).contains(r)
                    && (1...16).contains(p)
                    && 128 * n * r <= 1 << 28 && n * r * p <= 1 << 22
            }
        }

        package static func derive(
            passphrase: SecretBytes, salt: [UInt8], _ parameters: Parameters, count: Int
        ) throws(CryptographyError) -> SecretBytes {
            guard parameters.isAcceptable else { throw .invalidParameter("scrypt") }
            var output = [UInt8](repeating: 0, count: count)
            // OpenSSL refuses more than 32 MiB unless a limit is given.
            let memory = 128 * parameters.r * (parameters.n + parameters.p + 2) + 4096
            let done = unsafe passphrase.withUnsafeBytes { passphrase in
                unsafe EVP_PBE_scrypt(
                    passphrase.baseAddress?.assumingMemoryBound(to: CChar.self), passphrase.count, salt,
                    salt.count,
                    parameters.n, parameters.r, parameters.p, memory, &output, count)
            }
            guard done == 1 else { throw .operationFailed("scrypt") }
            return SecretBytes(clearing: consume output)
        }
    }
#endif
