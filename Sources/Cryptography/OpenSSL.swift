internal import COpenSSL

/// What OpenSSL sets up in this process.
package enum OpenSSL {
    /// Whether it has what everything here is built on. Not where its configuration asks for a provider that is not there,
    /// as for one that is certified.
    package static var isUsable: Bool { SHA256.isThere && HMACSHA256.isThere }

    /// Leaves out the tables of all names that algorithms go by, and the texts of errors: a vault needs neither, and they
    /// take a third of the time until its first key is there. The system's configuration counts as ever.
    ///
    /// To be called before anything else of this module. It is for the whole process and for good: no certificate can
    /// be checked afterwards.
    package static func startWithoutTLS() {
        let left =
            OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS
            | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS
        // Where it fails, nothing is left out; what can't work then says so itself.
        _ = OPENSSL_init_crypto(UInt64(left), nil)
    }
}
