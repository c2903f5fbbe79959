package import Cryptography
internal import Platform

/// What opens a vault.
package enum KeySource: Sendable {
    /// A passphrase, as bytes of UTF-8.
    case passphrase(SecretBytes)
    /// A file of 32 random bytes.
    case keyFile(path: String)
}

extension KeySource {
    /// The passphrase, or what is in the file.
    func secret() throws(VaultError) -> SecretBytes {
        switch self {
        case .passphrase(let passphrase): passphrase
        case .keyFile(let path): try KeyFile.read(path)
        }
    }

    /// The same where it is to open something from now on: a key file that does not exist is made.
    func newSecret() throws(VaultError) -> SecretBytes {
        switch self {
        case .passphrase(let passphrase): passphrase
        case .keyFile(let path): try KeyFile.readOrCreate(path)
        }
    }

    /// What kind of slot it opens.
    package var kind: KeyKind {
        switch self {
        case .passphrase: .passphrase
        case .keyFile: .keyFile
        }
    }
}

/// The kinds of keys that a vault can be opened with.
package enum KeyKind: String, Sendable {
    case passphrase
    case keyFile = "key-file"
}

/// Reads and makes key files.
enum KeyFile {
    static let length = 32

    static func read(_ path: String) throws(VaultError) -> SecretBytes {
        var bytes: [UInt8]
        do {
            bytes = try PrivateFile.read(path, limit: length)
        } catch {
            switch error {
            case .missing, .notDirectory: throw .keyFileMissing(path: path)
            case .notRegular, .tooLarge: throw .keyFileUnusable(path: path)
            default: throw VaultError(error, at: path)
            }
        }
        guard bytes.count == length else {
            SecretBytes.clear(&bytes)
            throw .keyFileUnusable(path: path)
        }
        return SecretBytes(clearing: bytes)
    }

    /// The key of a file, which is made where there is none.
    static func readOrCreate(_ path: String) throws(VaultError) -> SecretBytes {
        do {
            return try read(path)
        } catch VaultError.keyFileMissing {
            var key: [UInt8]
            do { key = try RandomBytes.generate(length) } catch { throw .cryptography(error) }
            defer { SecretBytes.clear(&key) }
            do { try AtomicFile.create(key, at: path) } catch {
                // Another process was faster, and its key is as good.
                guard error.isExisting else { throw .keyFileUnwritable(error) }
            }
            return try read(path)
        }
    }
}
