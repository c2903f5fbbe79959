import ATPCryptography
import ATPJSON
import ATPPlatform
import ATProtoVault
import BskyAuthCovers
import FoundationEssentials
import Testing

@Suite("Sealed bundle") struct SealedBundleTests {
    private let fixture: VaultFixture
    private let account = PortableAccount(
        id: UUID(), profile: secret("the profile"), session: secret("the session"), generation: 7)

    init() throws {
        fixture = try VaultFixture()
    }

    private func sealed(_ source: KeySource = VaultFixture.passphrase) throws -> SealedBundle {
        try SealedBundle(sealing: account, for: source, cost: VaultFixture.cost)
    }

    private func keyFile(_ name: String, _ byte: UInt8) throws -> KeySource {
        let path = fixture.base + "/" + name
        try fixture.write([UInt8](repeating: byte, count: 32), path)
        return .keyFile(path: path)
    }

    @Test("opens with its passphrase or key file, with or without a newline at the end")
    func opens() throws {
        for source in [VaultFixture.passphrase, try keyFile("key", 1)] {
            let bundle = try sealed(source)
            #expect(bundle.bytes.last == 0x0a && bundle.bytes.count { $0 == 0x0a } == 1)
            for bytes in [
                bundle.bytes, Array(bundle.bytes.dropLast()), bundle.bytes + [0x0a],
                bundle.bytes.dropLast() + [0x0d, 0x0a],
            ] {
                #expect(try SealedBundle(reading: bytes).open(with: source) == account)
            }
        }
    }

    @Test("bundles for one passphrase share the derived key, and nothing else")
    func oneAfterAnother() async throws {
        let sealer = BundleSealer(for: VaultFixture.passphrase, cost: VaultFixture.cost)
        var salts: Set<String> = []
        var keys: Set<String> = []
        for _ in 1...3 {
            let bundle = try await sealer.seal(account)
            #expect(try bundle.open(with: VaultFixture.passphrase) == account)
            let json = try JSONParser.parse(bundle.bytes)
            salts.insert(try #require(json["slot"]?["salt"]?.string))
            keys.insert(try #require(json["key"]?.string))
        }
        #expect(salts.count == 1 && keys.count == 3)
        let another = BundleSealer(for: VaultFixture.passphrase, cost: VaultFixture.cost)
        let json = try JSONParser.parse(try await another.seal(account).bytes)
        #expect(json["slot"]?["salt"]?.string.map(salts.contains) == false)
    }

    @Test("shows nothing of the records, and no two are alike")
    func showsNothing() throws {
        let bundle = try sealed()
        let text = String(decoding: bundle.bytes, as: UTF8.self)
        for record in ["the profile", "the session"] {
            #expect(!text.contains(record))
            #expect(!text.contains(Base64URL.encode(Array(record.utf8)).dropLast()))
        }
        #expect(try sealed().bytes != bundle.bytes)
    }

    @Test("tells a wrong key from damage, and one kind of key from the other")
    func wrongKey() throws {
        let key = try keyFile("key", 1)
        let other = try keyFile("other", 2)
        let byPassphrase = try sealed()
        let byKey = try sealed(key)
        #expect(throws: BundleError.wrongPassphrase) {
            try byPassphrase.open(with: .passphrase(secret("wrong")))
        }
        #expect(throws: BundleError.wrongKeyFile(path: fixture.base + "/other")) {
            try byKey.open(with: other)
        }
        #expect(throws: BundleError.takesPassphrase) { try byPassphrase.open(with: key) }
        #expect(throws: BundleError.takesKeyFile) { try byKey.open(with: VaultFixture.passphrase) }
        let missing = fixture.base + "/missing"
        #expect(throws: BundleError.keyFileMissing(path: missing)) {
            try byKey.open(with: .keyFile(path: missing))
        }
        #expect(throws: BundleError.vault(.cryptography(.invalidParameter("key")))) {
            try sealed(.passphrase(secret("")))
        }
    }

    @Test("a flipped bit is damage or another format, never a wrong passphrase, and never opens")
    func flips() throws {
        let bytes = try sealed().bytes
        // The newline at the end is not part of the bundle.
        for index in bytes.indices.dropLast() {
            var changed = bytes
            changed[index] ^= 1 << UInt8(index % 8)
            do {
                _ = try SealedBundle(reading: changed)
                Issue.record("byte \(index)")
            } catch {
                switch error {
                case .damaged, .newerFormat: break
                default: Issue.record("byte \(index): \(error)")
                }
            }
        }
        for count in [0, 1, bytes.count / 2, bytes.count - 2] {
            #expect(throws: BundleError.self) { try SealedBundle(reading: Array(bytes.prefix(count))) }
        }
    }

    @Test("a bundle with an exchanged member and a right checksum does not open")
    func exchanged() throws {
        let other = try SealedBundle(
            sealing: PortableAccount(
                id: UUID(), profile: secret("other"), session: secret("other"), generation: 7),
            for: VaultFixture.passphrase, cost: VaultFixture.cost)
        let source = VaultFixture.passphrase
        for name in ["bundle", "account", "key", "slot", "profile", "session"] {
            let forged = try BundleText(sealed().bytes).replacing(name, from: BundleText(other.bytes))
            #expect(throws: BundleError.self, "\(name)") {
                try SealedBundle(reading: forged.bytes).open(with: source)
            }
        }
        // A record in place of the other kind, with the same owner and key.
        let own = try BundleText(sealed().bytes)
        let swapped = try own.replacing("profile", from: own, member: "session")
        #expect(throws: BundleError.damaged(reason: "contains a profile that is a different kind of file")) {
            try SealedBundle(reading: swapped.bytes).open(with: source)
        }
    }

    @Test("another format is refused by its number before anything else is read", .covers("F6"))
    func format() throws {
        let text = String(decoding: try sealed().bytes, as: UTF8.self)
        let newer = text.replacing("\"format\":1", with: "\"format\":2")
        #expect(throws: BundleError.newerFormat(found: 2)) {
            try SealedBundle(reading: Array(newer.utf8))
        }
        for wrong in ["\"format\":0", "\"format\":-1", "\"format\":\"1\""] {
            #expect(throws: BundleError.damaged(reason: "is not a bundle")) {
                try SealedBundle(reading: Array(text.replacing("\"format\":1", with: wrong).utf8))
            }
        }
        // The header of a vault has a format number too.
        _ = try fixture.create()
        #expect(throws: BundleError.damaged(reason: "is not a bundle")) {
            try SealedBundle(reading: fixture.bytes(fixture.home + "/vault.json"))
        }
    }

    @Test("is written with mode 0600, and never over another file")
    func file() throws {
        let path = fixture.base + "/bundle"
        let bundle = try sealed()
        try bundle.write(to: path)
        #expect(Disk.mode(path) == 0o600)
        #expect(try fixture.bytes(path) == bundle.bytes)
        #expect(throws: BundleError.exists(path: path)) { try sealed().write(to: path) }
        #expect(try fixture.bytes(path) == bundle.bytes)
        Disk.link(fixture.base + "/link", to: fixture.base + "/elsewhere")
        #expect(throws: BundleError.exists(path: fixture.base + "/link")) {
            try sealed().write(to: fixture.base + "/link")
        }
        #expect(try FileSystem.names(in: fixture.base).sorted() == ["bundle", "link"])
    }
}
