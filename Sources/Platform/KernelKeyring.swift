internal import CPlatform

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Small secrets that the Linux kernel keeps for the processes of a user, for a time and never on a disk
/// (keyrings(7)).
///
/// They are in the keyring that all sessions of the user share, and readable only for who possesses them: the
/// user's processes, and no other user's.
package enum KernelKeyring {
    /// Keeps a secret under a name, in place of an earlier one of that name.
    ///
    /// It is seen by others only when it is restricted and has its end: until then it is in a keyring that goes
    /// with this process.
    ///
    /// - Parameter seconds: how long, and at least one.
    package static func store(
        _ secret: [UInt8], named name: String, for seconds: UInt32
    ) throws(SystemError) {
        // The kernel takes 0 for no end.
        guard seconds > 0 else { throw SystemError(errno: EINVAL, operation: "keyctl") }
        let key = try SystemError.retrying("add_key", "") {
            unsafe bskyauth_key_add(name, secret, secret.count)
        }
        try SystemError.retrying("keyctl", "") { bskyauth_key_restrict(key) }
        try SystemError.retrying("keyctl", "") { bskyauth_key_expire(key, seconds) }
        try SystemError.retrying("keyctl", "") { bskyauth_key_share(key) }
    }

    /// Reads the secret of a name into a buffer that the caller overwrites.
    ///
    /// - Returns: its length, and nil where there is none, its time is over, or it is longer than the buffer.
    package static func read(_ name: String, into buffer: inout [UInt8]) throws(SystemError) -> Int? {
        guard let key = try find(name) else { return nil }
        let length: Int
        do {
            length = try SystemError.retrying("keyctl", "") {
                unsafe bskyauth_key_read(key, &buffer, buffer.count)
            }
        } catch {
            // Its time may have ended since it was found.
            guard error.saysNoKey else { throw error }
            return nil
        }
        return length <= buffer.count ? length : nil
    }

    /// Makes sure that the kernel keeps keys for this process; many containers forbid it.
    package static func probe() throws(SystemError) {
        _ = try find("bskyauth:probe")
    }

    /// Destroys the secret of a name.
    ///
    /// - Returns: whether there was one.
    package static func remove(_ name: String) throws(SystemError) -> Bool {
        guard let key = try find(name) else { return false }
        try SystemError.retrying("keyctl", "") { bskyauth_key_destroy(key) }
        return true
    }

    /// Destroys the secrets of all names that begin so.
    ///
    /// - Returns: how many there were.
    package static func removeAll(beginning: String) throws(SystemError) -> Int {
        Int(try SystemError.retrying("keyctl", "") { unsafe bskyauth_keys_destroy(beginning) })
    }

    private static func find(_ name: String) throws(SystemError) -> Int32? {
        do {
            return try SystemError.retrying("keyctl", "") { unsafe bskyauth_key_find(name) }
        } catch {
            guard error.saysNoKey else { throw error }
            return nil
        }
    }
}

extension SystemError {
    /// Whether there is no such key: never was, destroyed, or its time is over.
    fileprivate var saysNoKey: Bool {
        #if canImport(Darwin)
            false
        #else
            [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(errno)
        #endif
    }
}
