internal import COpenSSL

/// HKDF with SHA-256 (RFC 5869): the extraction is done once, for any number of keys.
package struct HKDF: Sendable {
    private let pseudorandomKey: SecretBytes

    package init(_ secret: SecretBytes, salt: [UInt8] = []) {
        let key = SecretBytes(salt.isEmpty ? [UInt8](repeating: 0, count: 32) : salt)
        pseudorandomKey = SecretBytes(clearing: HMACSHA256.authenticate(key: key, message: secret))
    }

    /// - Parameter count: the bytes of the key, 1 to 8,160; the process ends where it is another.
    package func derive(info: [UInt8], count: Int) -> SecretBytes {
        precondition((1...255 * 32).contains(count), "HKDF has no such length")
        var output: [UInt8] = []
        var block: [UInt8] = []
        var message: [UInt8] = []
        // Appending never moves them: what they leave behind when they move is not overwritten.
        output.reserveCapacity(count + 32)
        message.reserveCapacity(32 + info.count + 1)
        defer {
            SecretBytes.clear(&block)
            SecretBytes.clear(&message)
        }
        var counter: UInt8 = 1
        while output.count < count {
            SecretBytes.clear(&message)
            message.removeAll(keepingCapacity: true)
            message.append(contentsOf: block)
            message.append(contentsOf: info)
            message.append(counter)
            SecretBytes.clear(&block)
            block = HMACSHA256.authenticate(key: pseudorandomKey, message: message)
            output.append(contentsOf: block)
            counter &+= 1
        }
        return SecretBytes(clearing: consume output, prefix: count)
    }
}

/// scrypt (RFC 7914), for passphrases.
package enum Scrypt {
    /// What a derivation costs.
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

        /// About 0.4 s and 128 MiB.
        package static let standard = Parameters(n: 1 << 17, r: 8, p: 1)

        /// Whether the cost is one that is worth paying for a file somebody else may have written: at most
        /// 1 GiB of memory, and the time of four such passes.
        package var isAcceptable: Bool {
            n >= 2 && n.nonzeroBitCount == 1 && n <= 1 << 20 && (1...16).contains(r) && (1...16).contains(p)
                && 128 * n * r <= 1 << 30 && n * r * p <= 1 << 25
        }
    }

    package static func derive(
        passphrase: SecretBytes, salt: [UInt8], _ parameters: Parameters, count: Int
    ) throws(CryptographyError) -> SecretBytes {
        guard parameters.isAcceptable else { throw .invalidParameter("scrypt") }
        var output = [UInt8](repeating: 0, count: count)
        // OpenSSL refuses more than 32 MiB unless it is allowed in so many words.
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
