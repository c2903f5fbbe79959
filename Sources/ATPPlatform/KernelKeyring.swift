internal import CATPPlatform
internal import Glibc

/// Small secrets that the Linux kernel keeps in memory for the processes of a user, for a limited time (keyrings(7)).
///
/// They are in the user keyring, which all sessions of the user share. Only processes of the user can read them.
package enum KernelKeyring {
    /// Stores a secret under a name and replaces an earlier one.
    ///
    /// The key is created in the keyring of this process. It is shared only after its permissions and its expiry are
    /// set.
    ///
    /// - Parameter seconds: the time until the secret expires, at least 1.
    package static func store(
        _ secret: [UInt8], named name: String, for seconds: UInt32
    ) throws(SystemError) {
        // For the kernel, 0 means that the key never expires.
        guard seconds > 0 else { throw SystemError(errno: EINVAL, operation: "keyctl") }
        let key = try SystemError.retrying("add_key", "") {
            unsafe bskyauth_key_add(name, secret, secret.count)
        }
        try SystemError.retrying("keyctl", "") { bskyauth_key_restrict(key) }
        try SystemError.retrying("keyctl", "") { bskyauth_key_expire(key, seconds) }
        try SystemError.retrying("keyctl", "") { bskyauth_key_share(key) }
    }

    /// Reads the secret of a name into a buffer. The caller overwrites the buffer after use.
    ///
    /// - Returns: the length; nil if there is no secret, it has expired, or it is longer than the buffer.
    package static func read(_ name: String, into buffer: inout [UInt8]) throws(SystemError) -> Int? {
        guard let key = try find(name) else { return nil }
        let length: Int
        do {
            length = try SystemError.retrying("keyctl", "") {
                unsafe bskyauth_key_read(key, &buffer, buffer.count)
            }
        } catch {
            // The key may have expired since it was found.
            guard error.saysNoKey else { throw error }
            return nil
        }
        return length <= buffer.count ? length : nil
    }

    /// Checks that this process may use keyrings, which many containers forbid.
    package static func probe() throws(SystemError) {
        _ = try find("bskyauth:probe")
    }

    /// Removes the secret of a name.
    ///
    /// - Returns: whether there was one.
    package static func remove(_ name: String) throws(SystemError) -> Bool {
        guard let key = try find(name) else { return false }
        try SystemError.retrying("keyctl", "") { bskyauth_key_destroy(key) }
        return true
    }

    /// Removes the secrets of all names with a prefix.
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
    /// Whether the key does not exist, was removed, or has expired.
    fileprivate var saysNoKey: Bool {
        [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(errno)
    }
}
