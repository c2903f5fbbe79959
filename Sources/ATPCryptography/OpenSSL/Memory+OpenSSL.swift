#if !canImport(CryptoKit)
    internal import CATPOpenSSL
    internal import Glibc

    /// Memory that holds secrets.
    enum Memory {
        /// Overwrites memory with zeros. The compiler does not leave this out.
        static func clear(_ bytes: UnsafeMutableRawPointer?, _ count: Int) {
            unsafe OPENSSL_cleanse(bytes, count)
        }

        /// Compares in a time that depends only on the number of bytes.
        static func equals(_ left: UnsafeRawPointer?, _ right: UnsafeRawPointer?, _ count: Int) -> Bool {
            unsafe CRYPTO_memcmp(left, right, count) == 0
        }

        /// Keeps a page out of swap where the system allows that (RLIMIT_MEMLOCK).
        static func lock(_ bytes: UnsafeMutableRawPointer?, _ count: Int) {
            unsafe _ = mlock(bytes, count)
        }

        /// Fills memory with random bytes of the operating system.
        static func fillRandomly(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
            // getentropy gives at most 256 bytes at a time.
            for start in stride(from: 0, to: buffer.count, by: 256) {
                let part = unsafe buffer[start..<min(start + 256, buffer.count)]
                let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: part)
                guard unsafe getentropy(bytes.baseAddress, bytes.count) == 0 else { return false }
            }
            return true
        }
    }
#endif
