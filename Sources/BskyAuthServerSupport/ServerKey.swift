internal import ATPCryptography
public import FoundationEssentials

/// A key of bskyauth-server: 32 bytes, which are overwritten when the last copy goes and are never printed.
public struct ServerKey: Sendable {
    private let secret: SecretBytes

    private init(_ secret: SecretBytes) { self.secret = secret }

    /// A key of these bytes; nil if they are not 32.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == AESGCM.keyLength else { return nil }
        secret = SecretBytes(bytes)
    }

    /// A fresh key.
    ///
    /// - Throws: ``ServerCryptographyError`` if the operating system gives no random bytes.
    public static func random() throws(ServerCryptographyError) -> ServerKey {
        do { return ServerKey(try SecretBytes(random: AESGCM.keyLength)) } catch {
            throw ServerCryptographyError(error)
        }
    }

    /// A copy of the 32 bytes, for the file of the key.
    public var bytes: [UInt8] { secret.bytes }

    /// The key for one purpose (HKDF with SHA-256, RFC 5869, without a salt).
    public func derived(for purpose: String) -> ServerKey {
        ServerKey(HKDF(secret).derive(info: Array(purpose.utf8), count: AESGCM.keyLength))
    }

    /// Encrypts and authenticates (AES-256-GCM, NIST SP 800-38D).
    ///
    /// - Parameters:
    ///   - bytes: what is encrypted.
    ///   - context: authenticated along with the bytes. Opening takes the same.
    /// - Returns: a fresh nonce of 12 bytes, the ciphertext, and the tag of 16 bytes.
    /// - Throws: ``ServerCryptographyError``
    public func seal(
        _ bytes: [UInt8], authenticating context: [UInt8]
    ) throws(ServerCryptographyError) -> [UInt8] {
        do {
            let nonce = try RandomBytes.generate(AESGCM.nonceLength)
            return try nonce
                + AESGCM.seal(SecretBytes(bytes), key: secret, nonce: nonce, authenticating: context)
        } catch { throw ServerCryptographyError(error) }
    }

    /// Opens what ``seal(_:authenticating:)`` returned; nil for everything else.
    public func open(_ sealed: [UInt8], authenticating context: [UInt8]) -> [UInt8]? {
        guard sealed.count >= AESGCM.nonceLength + AESGCM.tagLength else { return nil }
        let (nonce, rest) = (sealed.prefix(AESGCM.nonceLength), sealed.dropFirst(AESGCM.nonceLength))
        return try? AESGCM.open(Array(rest), key: secret, nonce: Array(nonce), authenticating: context).bytes
    }

    /// The code of a message under this key (HMAC with SHA-256, RFC 2104), 32 bytes.
    public func code(of message: [UInt8]) -> [UInt8] {
        HMACSHA256.authenticate(key: secret, message: message)
    }
}

/// What needs no key.
public enum ServerCryptography {
    /// Reads the configuration of OpenSSL, before anything else here is used.
    ///
    /// - Throws: ``ServerCryptographyError`` if it can't be read, or lacks an algorithm.
    public static func start() throws(ServerCryptographyError) {
        #if !canImport(CryptoKit)
            do { try OpenSSL.start() } catch { throw ServerCryptographyError(error) }
        #endif
    }

    /// SHA-256 (FIPS 180-4), 32 bytes.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes) }

    /// Whether two values are equal. The time does not depend on where they differ.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        ConstantTime.equals(left, right)
    }

    /// Whether the key with these coordinates, 32 bytes each, has made an ES256 signature (RFC 7518 §3.4) of a message.
    public static func isSignature(
        _ signature: [UInt8], of message: [UInt8], byX x: [UInt8], y: [UInt8]
    ) -> Bool {
        (try? P256PublicKey(x: x, y: y))?.verifies(signature, of: message) == true
    }
}

/// base64url without padding (RFC 4648 §5).
public enum Base64URL {
    /// The text of some bytes.
    public static func encode(_ bytes: [UInt8]) -> String { ATPCryptography.Base64URL.encode(bytes) }

    /// The bytes of the one text that encodes them; nil for every other text.
    public static func decode(_ text: String) -> [UInt8]? { ATPCryptography.Base64URL.decode(text) }
}

/// Why an operation failed. It has no secret.
public struct ServerCryptographyError: Error, CustomStringConvertible {
    private let error: CryptographyError

    init(_ error: CryptographyError) { self.error = error }

    /// The problem, in plain English.
    public var description: String {
        switch error {
        case .unreadableConfiguration:
            "the configuration of OpenSSL can't be read: check openssl.cnf and OPENSSL_CONF"
        case .noRandomBytes: "the operating system gives no random bytes"
        default: "OpenSSL failed: \(error)"
        }
    }
}

extension ServerCryptographyError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
