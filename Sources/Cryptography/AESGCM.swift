internal import COpenSSL

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D) with a 12-byte nonce and a 16-byte tag.
package enum AESGCM {
    package static let keyLength = 32
    package static let nonceLength = 12
    package static let tagLength = 16

    /// Encrypts and authenticates.
    ///
    /// - Parameter data: what is authenticated beside the plaintext, and has to be the same to open it.
    /// - Returns: the ciphertext, then the tag.
    package static func seal(
        _ plaintext: SecretBytes, key: SecretBytes, nonce: [UInt8], authenticating data: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        let cipher = try CipherContext(key: key, nonce: nonce, encrypts: true)
        guard cipher.authenticate(data) else { throw .operationFailed("AES-GCM") }
        var output = [UInt8](repeating: 0, count: plaintext.count)
        let done = unsafe plaintext.withUnsafeBytes { unsafe cipher.update($0, into: &output) }
        guard done, cipher.finish() else { throw .operationFailed("AES-GCM") }
        guard let tag = cipher.tag() else { throw .operationFailed("AES-GCM") }
        return output + tag
    }

    /// Decrypts what ``seal(_:key:nonce:authenticating:)`` made.
    ///
    /// - Throws: ``CryptographyError/authenticationFailed`` where anything differs; nothing of the plaintext
    ///   is given out then.
    package static func open(
        _ sealed: [UInt8], key: SecretBytes, nonce: [UInt8], authenticating data: [UInt8]
    ) throws(CryptographyError) -> SecretBytes {
        guard sealed.count >= tagLength else { throw .authenticationFailed }
        let cipher = try CipherContext(key: key, nonce: nonce, encrypts: false)
        let ciphertext = Array(sealed.dropLast(tagLength))
        guard cipher.authenticate(data) else { throw .operationFailed("AES-GCM") }
        var output = [UInt8](repeating: 0, count: ciphertext.count)
        defer { unsafe OPENSSL_cleanse(&output, output.count) }
        let done = unsafe ciphertext.withUnsafeBytes { unsafe cipher.update($0, into: &output) }
        guard done else { throw .operationFailed("AES-GCM") }
        guard cipher.expect(tag: Array(sealed.suffix(tagLength))), cipher.finish() else {
            throw .authenticationFailed
        }
        return SecretBytes(output)
    }
}

/// One run of the cipher, freed when it is let go.
@safe private final class CipherContext {
    private let pointer: OpaquePointer

    /// Looked up once.
    private nonisolated(unsafe) static let algorithm = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    init(key: SecretBytes, nonce: [UInt8], encrypts: Bool) throws(CryptographyError) {
        guard key.count == AESGCM.keyLength, nonce.count == AESGCM.nonceLength else {
            throw .invalidParameter("AES-GCM")
        }
        guard let pointer = unsafe EVP_CIPHER_CTX_new() else { throw .operationFailed("AES-GCM") }
        let done = unsafe key.withUnsafeBytes { key in
            unsafe EVP_CipherInit_ex2(
                pointer, Self.algorithm, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce,
                encrypts ? 1 : 0, nil)
        }
        unsafe self.pointer = unsafe pointer
        guard done == 1 else { throw .operationFailed("AES-GCM") }
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(pointer)
    }

    func authenticate(_ data: [UInt8]) -> Bool {
        var length: Int32 = 0
        return unsafe EVP_CipherUpdate(pointer, nil, &length, data, Int32(data.count)) == 1
    }

    func update(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) -> Bool {
        var length: Int32 = 0
        guard input.count > 0 else { return true }
        let done = unsafe EVP_CipherUpdate(
            pointer, &output, &length, input.baseAddress?.assumingMemoryBound(to: UInt8.self),
            Int32(input.count))
        return done == 1 && Int(length) == input.count
    }

    func finish() -> Bool {
        var length: Int32 = 0
        var rest = [UInt8](repeating: 0, count: 16)
        return unsafe EVP_CipherFinal_ex(pointer, &rest, &length) == 1
    }

    func tag() -> [UInt8]? {
        var tag = [UInt8](repeating: 0, count: AESGCM.tagLength)
        let done = unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag)
        return done == 1 ? tag : nil
    }

    func expect(tag: [UInt8]) -> Bool {
        var tag = tag
        return unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
    }
}
