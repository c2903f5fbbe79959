import ATPCryptography
import ATPJSON
import ATPPlatform
import ATProtoVault
import BskyAuthTestPrograms
import FoundationEssentials
import Glibc
import Testing

/// A vault in a temporary directory, which is removed with the fixture.
final class VaultFixture: Sendable {
    let base: String
    let home: String

    static let cost = Scrypt.Parameters(n: 16, r: 1, p: 1)
    static let passphrase = KeySource.passphrase(secret("correct horse battery staple"))

    init() throws {
        base = "/tmp/bskyauth-vault-\(UUID().uuidString)"
        home = base + "/home"
        try PrivateDirectory.create(base)
    }

    deinit {
        try? FileSystem.removeTree(base)
    }

    func create() throws -> CredentialVault {
        try CredentialVault.create(at: home, key: Self.passphrase, cost: Self.cost)
    }

    func open() throws -> CredentialVault {
        try CredentialVault.open(at: home, key: Self.passphrase)
    }

    /// A vault of one account.
    func createWithAccount() throws -> (CredentialVault, UUID) {
        let vault = try create()
        return (vault, try Self.add(to: vault))
    }

    @discardableResult
    static func add(to vault: CredentialVault, names: [String] = []) throws -> UUID {
        let id = UUID()
        try vault.add(
            id, profile: secret("profile of \(id)"), session: secret("session of \(id)"), names: names)
        return id
    }

    func directory(_ id: UUID) -> String { home + "/accounts/" + id.uuidString.lowercased() }
    func file(_ kind: RecordKind, _ id: UUID) -> String { directory(id) + "/" + kind.rawValue }
    func bytes(_ path: String) throws -> [UInt8] { try PrivateFile.read(path, limit: 1 << 20) }
    func write(_ bytes: [UInt8], _ path: String) throws { try AtomicFile.write(bytes, to: path) }

    /// Changes the header as someone can who knows the format but not the key.
    func editHeader(_ change: (inout JSONObject) -> Void) throws {
        let header = home + "/vault.json"
        var members = try #require(JSONParser.parse(bytes(header)).object)
        members["checksum"] = nil
        change(&members)
        let checksum = SHA256.hash(JSONValue.object(members).text.utf8)
        members["checksum"] = .string(Base64URL.encode(checksum))
        try write(Array((JSONValue.object(members).indentedText + "\n").utf8), header)
    }

    /// Changes the last byte of a file.
    func damage(_ path: String) throws {
        var bytes = try bytes(path)
        bytes[bytes.count - 1] ^= 1
        try write(bytes, path)
    }

    /// Copies a directory with its content, as `cp -a` does.
    func copy(_ path: String, to other: String) throws {
        try PrivateDirectory.create(other)
        for name in try FileSystem.names(in: path) {
            let (entry, target) = (path + "/" + name, other + "/" + name)
            do { try write(try bytes(entry), target) } catch FileAccessError.notRegular {
                try copy(entry, to: target)
            }
        }
    }

    /// The bytes of every file below the home.
    func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        func visit(_ path: String) throws {
            for name in try FileSystem.names(in: path) {
                let entry = path + "/" + name
                do { contents[entry] = try bytes(entry) } catch FileAccessError.notRegular {
                    try visit(entry)
                }
            }
        }
        try visit(home)
        return contents
    }

    /// Performs a test for the file with each of its bits flipped; in the quick suites with one bit of each
    /// byte, another for each.
    func flippingEachBit(of path: String, _ test: (_ byte: Int) throws -> Void) throws {
        let original = try bytes(path)
        for index in original.indices {
            for bit in testsAll ? Array(UInt8(0)..<8) : [UInt8(index % 8)] {
                var changed = original
                changed[index] ^= 1 << bit
                try write(changed, path)
                try test(index)
            }
        }
        try write(original, path)
    }
}

func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

func text(_ record: StoredRecord) -> String { String(decoding: record.content.bytes, as: UTF8.self) }

/// Changes to files without the vault.
enum Disk {
    static func setMode(_ path: String, _ mode: mode_t) { #expect(unsafe chmod(path, mode) == 0) }
    static func setOwner(_ path: String, _ owner: uid_t) { #expect(unsafe lchown(path, owner, owner) == 0) }
    static func link(_ path: String, to target: String) { #expect(unsafe symlink(target, path) == 0) }
    static var isRoot: Bool { geteuid() == 0 }

    static func mode(_ path: String) -> mode_t {
        var status = stat()
        #expect(unsafe lstat(path, &status) == 0)
        return status.st_mode & 0o7777
    }
}

extension VaultError {
    /// The file that an error of a damaged or newer file names.
    var changedFile: String? {
        switch self {
        case .damaged(let file, _), .newerFormat(let file, _): file
        default: nil
        }
    }
}

extension ActiveAccount {
    init(_ current: UUID?, _ previous: UUID?, none: Bool) {
        self.init(current: current, previous: previous, isExplicitlyNone: none)
    }
}

enum ProcessInfo {
    static var pid: Int32 { getpid() }
}

/// Kills this process after a delay.
enum DetachedKiller {
    static func start(after microseconds: UInt32) throws {
        var thread = pthread_t()
        let delay = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
        unsafe delay.initialize(to: microseconds)
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                usleep(unsafe argument?.load(as: UInt32.self) ?? 0)
                kill(getpid(), SIGKILL)
                return nil
            }, delay)
        try #require(status == 0)
    }
}
