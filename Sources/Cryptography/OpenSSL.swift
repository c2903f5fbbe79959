internal import COpenSSL

/// What OpenSSL sets up in this process.
package enum OpenSSL {
    /// Whether it has what everything here is built on. Not where its configuration asks for a provider that is not there,
    /// as for one that is certified.
    package static var isUsable: Bool { SHA256.isThere && HMACSHA256.isThere }

    /// Starts it without what nobody here asks it for, which takes a third of the time until a vault's first key is
    /// there: the texts of its own errors, and the names that ciphers went by before they were fetched from a provider.
    /// TLS takes its ciphers from there too. The system's configuration counts as ever.
    ///
    /// To be called before anything else of this module. It is for the whole process and for good.
    ///
    /// - Parameter checksCertificates: whether the names of digests are kept, by which certificates are checked. Without
    ///   them there is no TLS.
    package static func start(checksCertificates: Bool) {
        var left = OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS | OPENSSL_INIT_NO_ADD_ALL_CIPHERS
        if !checksCertificates { left |= OPENSSL_INIT_NO_ADD_ALL_DIGESTS }
        // Where it fails, nothing is left out; what can't work then says so itself.
        _ = OPENSSL_init_crypto(UInt64(left), nil)
    }
}
