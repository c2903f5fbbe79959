#if !canImport(CryptoKit)
    internal import CATPOpenSSL

    /// The OpenSSL library of this process. libcurl uses the same library.
    package enum OpenSSL {
        /// Starts OpenSSL with the system's configuration (openssl.cnf, `OPENSSL_CONF`) and checks that it offers all
        /// algorithms that the program needs. Call this before any other use of OpenSSL.
        ///
        /// The configuration may load libraries and start programs, so remove secrets from the environment first.
        ///
        /// - Throws: ``CryptographyError/unreadableConfiguration``, or ``CryptographyError/operationFailed(_:)`` if an algorithm
        ///   is missing, for example because the configuration asks for a FIPS provider that is not installed.
        package static func start() throws(CryptographyError) {
            guard bskyauth_openssl_start() == 1 else { throw .unreadableConfiguration }
            if let missing = unsafe bskyauth_missing_algorithm() {
                throw .operationFailed(unsafe String(cString: missing))
            }
        }

        /// Checks that OpenSSL offers signatures with ES256. Only commands that sign need them, and looking for them takes time.
        package static func requireES256() throws(CryptographyError) {
            guard let algorithm = unsafe EVP_SIGNATURE_fetch(nil, "ECDSA", nil) else {
                throw .operationFailed("ES256")
            }
            unsafe EVP_SIGNATURE_free(algorithm)
        }
    }
#endif
