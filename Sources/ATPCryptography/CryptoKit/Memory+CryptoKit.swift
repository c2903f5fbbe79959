#if canImport(CryptoKit)
    internal import Darwin

    /// Memory that holds secrets.
    enum Memory {
        /// Overwrites memory with zeros. The compiler does not leave this out.
        static func clear(_ bytes: UnsafeMutableRawPointer?, _ count: Int) {
            guard let bytes = unsafe bytes else { return }
            unsafe _ = memset_s(bytes, count, 0, count)
        }

        /// Compares in a time that depends only on the number of bytes.
        static func equals(_ left: UnsafeRawPointer?, _ right: UnsafeRawPointer?, _ count: Int) -> Bool {
            guard let left = unsafe left, let right = unsafe right else { return count == 0 }
            return unsafe timingsafe_bcmp(left, right, count) == 0
        }

        /// Keeps a page out of swap where the system allows that (RLIMIT_MEMLOCK).
        static func lock(_ bytes: UnsafeMutableRawPointer?, _ count: Int) {
            unsafe _ = mlock(bytes, count)
        }

        /// Fills memory with random bytes of the operating system. arc4random_buf can't fail.
        static func fillRandomly(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
            guard let bytes = buffer.baseAddress else { return true }
            unsafe arc4random_buf(bytes, buffer.count)
            return true
        }
    }
#endif
