import ATPCryptography
import ATPPlatform
import ATProtoVault
import FoundationEssentials
import Testing

@Suite("Key slots") struct KeySlotTests {
    private let fixture: VaultFixture
    private let vault: CredentialVault
    private var header: String { fixture.home + "/vault.json" }

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.create()
    }

    private func open(_ source: KeySource) throws -> CredentialVault {
        try CredentialVault.open(at: fixture.home, key: source)
    }

    private func names() throws -> [String] {
        try CredentialVault.summary(at: fixture.home).slots.map(\.name)
    }

    private var keyFile: KeySource { .keyFile(path: fixture.base + "/key") }

    @Test("each of several key slots opens the same vault")
    func several() async throws {
        let id = try VaultFixture.add(to: vault)
        let second = KeySource.passphrase(secret("second"))
        #expect(try await vault.addKey(keyFile, named: "ci", cost: VaultFixture.cost) == "ci")
        #expect(try await vault.addKey(second, named: nil, cost: VaultFixture.cost) == "passphrase-2")
        #expect(try names() == ["passphrase", "ci", "passphrase-2"])
        #expect(Disk.mode(fixture.base + "/key") == 0o600)
        for source in [VaultFixture.passphrase, keyFile, second] {
            #expect(text(try open(source).read(.session, of: id)) == "session of \(id)")
        }
        #expect(Disk.mode(header) == 0o600)
    }

    @Test("a removed key slot opens nothing, and the others still do")
    func removal() async throws {
        try await vault.addKey(keyFile, named: nil, cost: VaultFixture.cost)
        try await vault.removeKey(named: "passphrase")
        #expect(throws: VaultError.noSuchSlot) { try open(VaultFixture.passphrase) }
        #expect(try open(keyFile).id == vault.id)
        #expect(try FileSystem.exists(fixture.base + "/key"))
    }

    @Test("the last key slot can't be removed")
    func last() async throws {
        let before = try fixture.bytes(header)
        await #expect(throws: VaultError.lastKey("passphrase")) {
            try await vault.removeKey(named: "passphrase")
        }
        #expect(try fixture.bytes(header) == before)
    }

    @Test("one slot is for a desktop keyring, and another secret opens nothing by it")
    func remembered() async throws {
        let id = try VaultFixture.add(to: vault)
        #expect(try CredentialVault.rememberedID(at: fixture.home) == nil)
        #expect(try CredentialVault.openRemembered(at: fixture.home, secret: secret("first")) == nil)
        for text in ["first", "second"] { try vault.remember(secret(text)) }
        #expect(try CredentialVault.rememberedID(at: fixture.home) == vault.id)
        #expect(try names() == ["passphrase", "desktop keyring"])
        #expect(try CredentialVault.openRemembered(at: fixture.home, secret: secret("first")) == nil)
        let opened = try CredentialVault.openRemembered(at: fixture.home, secret: secret("second"))
        #expect(text(try #require(opened).read(.session, of: id)) == "session of \(id)")
        try await vault.removeKey(named: "desktop keyring")
        #expect(try CredentialVault.openRemembered(at: fixture.home, secret: secret("second")) == nil)
    }

    @Test("the slot of a desktop keyring is never the only one")
    func rememberedLast() async throws {
        try vault.remember(secret("keyring"))
        await #expect(throws: VaultError.lastKey("passphrase")) {
            try await vault.removeKey(named: "passphrase")
        }
        #expect(try names() == ["passphrase", "desktop keyring"])
    }

    @Test("a vault with as many slots as there may be takes none for a desktop keyring, but replaces it")
    func rememberedAmongMany() async throws {
        for number in 1...14 {
            try await vault.addKey(
                .keyFile(path: "\(fixture.base)/\(number)"), named: nil, cost: VaultFixture.cost)
        }
        try vault.remember(secret("first"))
        try vault.remember(secret("second"))
        try await vault.removeKey(named: "desktop keyring")
        try await vault.addKey(keyFile, named: nil, cost: VaultFixture.cost)
        #expect(throws: VaultError.tooManyKeys(limit: 16)) { try vault.remember(secret("third")) }
    }

    @Test("a new passphrase replaces the old one and leaves the accounts as they are")
    func passphrase() async throws {
        let id = try VaultFixture.add(to: vault)
        try await vault.addKey(keyFile, named: "ci", cost: VaultFixture.cost)
        let before = try fixture.contents().filter { $0.key.contains("/accounts/") }
        try vault.changePassphrase(of: "passphrase", to: secret("new"), cost: VaultFixture.cost)
        #expect(throws: VaultError.wrongPassphrase) { try open(VaultFixture.passphrase) }
        for source in [.passphrase(secret("new")), keyFile] as [KeySource] {
            #expect(text(try open(source).read(.profile, of: id)) == "profile of \(id)")
        }
        #expect(try fixture.contents().filter { $0.key.contains("/accounts/") } == before)
        #expect(try names() == ["passphrase", "ci"])
    }

    @Test("a new passphrase has the current standard cost")
    func cost() throws {
        let dear = Scrypt.Parameters(n: 32, r: 1, p: 1)
        try vault.changePassphrase(of: "passphrase", to: secret("new"), cost: dear)
        #expect(try CredentialVault.summary(at: fixture.home).slots.map(\.cost) == [dear])
    }

    @Test("taken and unknown names, empty passphrases and too many key slots change nothing")
    func refusals() async throws {
        try await vault.addKey(keyFile, named: "ci", cost: VaultFixture.cost)
        let before = try fixture.bytes(header)
        let other = KeySource.passphrase(secret("other"))
        await #expect(throws: VaultError.keyNameTaken("passphrase")) {
            try await vault.addKey(other, named: "passphrase", cost: VaultFixture.cost)
        }
        await #expect(throws: VaultError.keyNameTaken("ci")) {
            try await vault.addKey(other, named: "ci", cost: VaultFixture.cost)
        }
        let unknown = VaultError.noSuchKey("x", known: ["passphrase", "ci"])
        await #expect(throws: unknown) { try await vault.removeKey(named: "x") }
        #expect(throws: unknown) { try vault.changePassphrase(of: "x", to: secret("new")) }
        #expect(throws: VaultError.noSuchKey("ci", known: ["passphrase", "ci"])) {
            try vault.changePassphrase(of: "ci", to: secret("new"), cost: VaultFixture.cost)
        }
        #expect(throws: VaultError.cryptography(.invalidParameter("key"))) {
            try vault.changePassphrase(of: "passphrase", to: secret(""), cost: VaultFixture.cost)
        }
        #expect(try fixture.bytes(header) == before)
        for _ in 3...16 { try await vault.addKey(other, named: nil, cost: VaultFixture.cost) }
        let full = try fixture.bytes(header)
        await #expect(throws: VaultError.tooManyKeys(limit: 16)) {
            try await vault.addKey(other, named: nil, cost: VaultFixture.cost)
        }
        #expect(try fixture.bytes(header) == full)
        _ = try open(keyFile)
    }

    @Test("a header that was changed without the key is not changed further")
    func forged() async throws {
        let other = try VaultFixture()
        _ = try other.create()
        let strange = try other.bytes(other.home + "/vault.json")
        try fixture.write(strange, header)
        let error = await #expect(throws: VaultError.self) {
            try await vault.addKey(keyFile, named: nil, cost: VaultFixture.cost)
        }
        #expect(error?.changedFile == header)
        #expect(try fixture.bytes(header) == strange)
    }

    @Test("each flipped bit of a header with several key slots is damage")
    func flips() async throws {
        try await vault.addKey(keyFile, named: "ci", cost: VaultFixture.cost)
        try fixture.flippingEachBit(of: header) { index in
            let error = #expect(throws: VaultError.self) { try open(keyFile) }
            #expect(error?.changedFile == header, "byte \(index)")
        }
    }

    @Test("a key file that opens the vault already is not added under another name")
    func twice() async throws {
        try await vault.addKey(keyFile, named: "ci", cost: VaultFixture.cost)
        let path = fixture.base + "/key"
        let before = try fixture.bytes(header)
        let link = fixture.base + "/same"
        try fixture.write(try fixture.bytes(path), link)
        for path in [path, link] {
            await #expect(throws: VaultError.keyFileAdded(path: path, name: "ci")) {
                try await vault.addKey(.keyFile(path: path), named: "again", cost: VaultFixture.cost)
            }
        }
        #expect(try fixture.bytes(header) == before)
    }

    @Test("two processes can change key slots at the same time")
    func atOnce() async throws {
        let other = try fixture.open()
        try await vault.addKey(keyFile, named: "a", cost: VaultFixture.cost)
        try await other.addKey(.keyFile(path: fixture.base + "/other"), named: "b", cost: VaultFixture.cost)
        try await vault.removeKey(named: "passphrase")
        #expect(try names() == ["a", "b"])
    }
}
