internal import COpenSSL

/// What OpenSSL sets up in this process: for keys on P-256 and scrypt, and for libcurl's TLS.
package enum OpenSSL {
    /// Starts it without what nobody here asks it for: the texts of its own errors, and the names that ciphers went by
    /// before they were fetched from a provider. TLS takes its ciphers from there too. The system's configuration counts
    /// as ever.
    ///
    /// To be called before anything else that uses it; what comes first starts all of it. It is for the whole process and
    /// for good.
    ///
    /// - Throws: ``CryptographyError/operationFailed(_:)`` where it has nothing that signs as ES256 does, as where its
    ///   configuration asks for a certified provider that is not there.
    package static func start() throws(CryptographyError) {
        let left = OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS | OPENSSL_INIT_NO_ADD_ALL_CIPHERS
        // Where it fails, nothing is left out; what can't work then says so itself.
        _ = OPENSSL_init_crypto(UInt64(left), nil)
        // The generator of a signature's random number (NIST SP 800-90A) that needs no cipher: for the usual one OpenSSL
        // looks up all that it has. A configuration that names another one has it, but not one that names a cipher alone.
        _ = unsafe RAND_set_DRBG_type(nil, "HASH-DRBG", nil, nil, "SHA256")
        guard let algorithm = unsafe EVP_SIGNATURE_fetch(nil, "ECDSA", nil) else {
            throw .operationFailed("ES256")
        }
        unsafe EVP_SIGNATURE_free(algorithm)
    }
}
