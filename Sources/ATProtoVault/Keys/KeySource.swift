package import ATPCryptography
internal import ATPPlatform

/// A passphrase or key file that opens a vault or a bundle.
package enum KeySource: Sendable {
    /// A passphrase, as bytes of UTF-8.
    case passphrase(SecretBytes)
    /// A file of 32 random bytes.
    case keyFile(path: String)
}

extension KeySource {
    /// The passphrase, or the content of the file.
    func secret() throws(VaultError) -> SecretBytes {
        switch self {
        case .passphrase(let passphrase): passphrase
        case .keyFile(let path): try KeyFile.read(path)
        }
    }

    /// The secret for a new slot. A key file that does not exist is created.
    func newSecret() throws(VaultError) -> SecretBytes {
        switch self {
        case .passphrase(let passphrase): passphrase
        case .keyFile(let path): try KeyFile.readOrCreate(path)
        }
    }

    /// The kind of slot that this source opens.
    package var kind: KeyKind {
        switch self {
        case .passphrase: .passphrase
        case .keyFile: .keyFile
        }
    }

    /// The error to throw if this source opens no slot of its kind.
    var wrongKeyError: VaultError {
        switch self {
        case .passphrase: .wrongPassphrase
        case .keyFile(let path): .wrongKeyFile(path: path)
        }
    }
}

/// The kinds of key slots.
package enum KeyKind: String, Sendable {
    case passphrase
    case keyFile = "key-file"
}

/// Reads and creates key files: 32 random bytes.
enum KeyFile {
    static let length = 32

    static func read(_ path: String) throws(VaultError) -> SecretBytes {
        var bytes: [UInt8]
        do {
            bytes = try SecretFile.read(path, limit: length)
        } catch {
            switch error {
            case .access(.missing), .access(.notDirectory): throw .keyFileMissing(path: path)
            case .access(.notRegular), .access(.tooLarge): throw .keyFileUnusable(path: path)
            case .access(.system(let error)): throw .io(error)
            case .access(.unsafeMode), .access(.symlink), .access(.foreignOwner), .openWay, .openFolder,
                .writableFile, .openFile,
                .descriptor:
                throw .keyFileOpen(path: path, error)
            }
        }
        guard bytes.count == length else {
            SecretBytes.clear(&bytes)
            throw .keyFileUnusable(path: path)
        }
        return SecretBytes(clearing: bytes)
    }

    /// Reads a key file, and creates it if it does not exist.
    static func readOrCreate(_ path: String) throws(VaultError) -> SecretBytes {
        do {
            return try read(path)
        } catch VaultError.keyFileMissing {
            var key: [UInt8]
            do { key = try RandomBytes.generate(length) } catch { throw .cryptography(error) }
            defer { SecretBytes.clear(&key) }
            do { try AtomicFile.create(key, at: path) } catch {
                // Another process created the file first. Use its key.
                guard error.isExisting else { throw .keyFileUnwritable(error) }
            }
            return try read(path)
        }
    }
}
