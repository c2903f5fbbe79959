import ATPCryptography
import ATPJSON
import ATPPlatform
import ATProtoVault
import Testing

@Suite("Header") struct HeaderTests {
    private let fixture: VaultFixture
    private var header: String { fixture.home + "/vault.json" }

    init() throws {
        fixture = try VaultFixture()
    }

    @Test func opensWithThePassphraseItWasMadeWith() throws {
        #expect(try !CredentialVault.exists(at: fixture.home))
        let made = try fixture.create()
        #expect(try CredentialVault.exists(at: fixture.home))
        #expect(try fixture.open().id == made.id)
        #expect(Disk.mode(fixture.home) == 0o700)
        #expect(Disk.mode(header) == 0o600)
    }

    @Test func refusesToMakeASecondOne() throws {
        _ = try fixture.create()
        let before = try fixture.contents()
        #expect(throws: VaultError.exists(home: fixture.home)) { try fixture.create() }
        #expect(try fixture.contents() == before)
    }

    @Test func saysThatThereIsNone() {
        #expect(throws: VaultError.noVault(home: fixture.home)) { try fixture.open() }
    }

    @Test func tellsAWrongPassphrase() throws {
        _ = try fixture.create()
        #expect(throws: VaultError.wrongPassphrase) {
            try CredentialVault.open(at: fixture.home, key: .passphrase(secret("wrong")))
        }
    }

    @Test func refusesAnEmptyPassphrase() throws {
        #expect(throws: VaultError.cryptography(.invalidParameter("key"))) {
            try CredentialVault.create(at: fixture.home, key: .passphrase(secret("")))
        }
        #expect(try !CredentialVault.exists(at: fixture.home))
    }

    @Test func makesAKeyFileOnlyWithAVault() throws {
        let path = fixture.base + "/key"
        let made = try CredentialVault.create(at: fixture.home, key: .keyFile(path: path))
        #expect(Disk.mode(path) == 0o600)
        #expect(try fixture.bytes(path).count == 32)
        #expect(try CredentialVault.open(at: fixture.home, key: .keyFile(path: path)).id == made.id)
        #expect(throws: VaultError.noSuchSlot) { try fixture.open() }
        try FileSystem.remove(path)
        #expect(throws: VaultError.keyFileMissing(path: path)) {
            try CredentialVault.open(at: fixture.home, key: .keyFile(path: path))
        }
        #expect(try !FileSystem.exists(path))
    }

    @Test func tellsAWrongKeyFileFromOneThatIsNone() throws {
        let path = fixture.base + "/key"
        _ = try CredentialVault.create(at: fixture.home, key: .keyFile(path: path))
        func open() throws { _ = try CredentialVault.open(at: fixture.home, key: .keyFile(path: path)) }
        try fixture.write([UInt8](repeating: 7, count: 32), path)
        #expect(throws: VaultError.wrongKeyFile(path: path)) { try open() }
        for length in [0, 31, 33, 100] {
            try fixture.write([UInt8](repeating: 7, count: length), path)
            #expect(throws: VaultError.keyFileUnusable(path: path)) { try open() }
        }
        Disk.setMode(path, 0o640)
        #expect(throws: VaultError.keyFileOpen(path: path, .access(.unsafeMode(0o640)))) { try open() }
    }

    @Test func refusesEveryFlippedBit() throws {
        let machine = try #require(MachineID("0123456789abcdef0123456789abcdef".utf8))
        try fixture.create().remember(machine)
        try fixture.flippingEachBit(of: header) { index in
            let error = #expect(throws: VaultError.self) { try fixture.open() }
            #expect(error?.changedFile == header, "byte \(index)")
        }
        _ = try fixture.open()
    }

    @Test func refusesATruncatedFile() throws {
        _ = try fixture.create()
        let bytes = try fixture.bytes(header)
        for length in [0, 1, bytes.count / 2, bytes.count - 1] {
            try fixture.write(Array(bytes.prefix(length)), header)
            let error = #expect(throws: VaultError.self) { try fixture.open() }
            #expect(error?.changedFile == header)
        }
    }

    @Test func refusesANewerFormat() throws {
        _ = try fixture.create()
        try fixture.editHeader { $0["format"] = 3 }
        #expect(throws: VaultError.newerFormat(file: header, found: 3)) { try fixture.open() }
    }

    @Test("refuses a cost that nobody should pay", arguments: [19, 20, 40]) func cost(power: UInt64) throws {
        _ = try fixture.create()
        try fixture.editHeader { members in
            var slot = members["slots"]?.array?.first?.object
            slot?["n"] = JSONValue(UInt64(1) << power)
            slot?["r"] = JSONValue(8)
            members["slots"] = .array([.object(slot ?? [:])])
        }
        let error = #expect(throws: VaultError.self) { try fixture.open() }
        #expect(error?.changedFile == header)
    }

    @Test func refusesWhatWasWrittenWithoutTheKey() throws {
        _ = try fixture.create()
        try fixture.editHeader { $0["code"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 32))) }
        let error = #expect(throws: VaultError.self) { try fixture.open() }
        #expect(error?.changedFile == header)
    }

    @Test func refusesAccountsWithoutAHeader() throws {
        _ = try fixture.createWithAccount()
        try FileSystem.remove(header)
        let missing = VaultError.headerMissing(home: fixture.home)
        #expect(throws: missing) { try CredentialVault.exists(at: fixture.home) }
        #expect(throws: missing) { try fixture.open() }
        #expect(throws: missing) { try fixture.create() }
    }

    @Test func refusesWhatOthersCouldHaveChanged() throws {
        _ = try fixture.createWithAccount()
        Disk.setMode(header, 0o644)
        #expect(throws: VaultError.unsafePermissions(path: header, mode: 0o644)) { try fixture.open() }
        Disk.setMode(header, 0o600)
        Disk.setMode(fixture.home, 0o755)
        #expect(throws: VaultError.unsafePermissions(path: fixture.home, mode: 0o755)) {
            try fixture.open()
        }
        Disk.setMode(fixture.home, 0o700)
        try FileSystem.rename(header, to: fixture.base + "/elsewhere")
        Disk.link(header, to: fixture.base + "/elsewhere")
        #expect(throws: VaultError.symlink(path: header)) { try fixture.open() }
    }

    @Test func refusesAHomeThatIsASymbolicLink() throws {
        _ = try fixture.create()
        let link = fixture.base + "/link"
        Disk.link(link, to: fixture.home)
        #expect(throws: VaultError.symlink(path: link)) {
            try CredentialVault.open(at: link, key: VaultFixture.passphrase)
        }
    }

    @Test(.enabled(if: Disk.isRoot)) func refusesAnotherUsersFiles() throws {
        _ = try fixture.create()
        Disk.setOwner(header, 1234)
        #expect(throws: VaultError.foreignOwner(path: header)) { try fixture.open() }
        Disk.setOwner(header, 0)
        Disk.setOwner(fixture.home, 1234)
        #expect(throws: VaultError.foreignOwner(path: fixture.home)) { try fixture.open() }
    }
}
