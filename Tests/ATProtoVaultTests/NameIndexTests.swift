import ATPPlatform
import ATProtoVault
import BskyAuthCovers
import FoundationEssentials
import Testing

@Suite("Index of names") struct NameIndexTests {
    private let fixture: VaultFixture

    init() throws {
        fixture = try VaultFixture()
    }

    @Test func findsThemByNameInAnyCase() throws {
        let vault = try fixture.create()
        let first = try VaultFixture.add(to: vault, names: ["alice.example.com", "did:plc:abc"])
        let second = try VaultFixture.add(to: vault, names: ["Alice.Example.com"])
        #expect(try vault.find(name: "ALICE.example.COM") == [first, second])
        #expect(try vault.find(name: "did:plc:abc") == [first])
        #expect(try vault.find(name: "bob.example.com") == [])
    }

    @Test func doesNotFindWhatIsGone() async throws {
        let vault = try fixture.create()
        let first = try VaultFixture.add(to: vault, names: ["alice"])
        let second = try VaultFixture.add(to: vault, names: ["alice"])
        // A name that is not passed to remove becomes stale, which is harmless.
        let lock = try await vault.lock(first, timeout: .zero)
        try vault.remove(first, names: [], under: lock)
        #expect(try vault.find(name: "alice") == [second])
        let other = try await vault.lock(second, timeout: .zero)
        try vault.remove(second, names: ["alice"], under: other)
        #expect(try vault.find(name: "alice") == [])
        #expect(try FileSystem.names(in: fixture.home + "/names").isEmpty)
        _ = consume lock
        _ = consume other
    }

    @Test func addsNamesWithAProfile() async throws {
        let (vault, id) = try fixture.createWithAccount()
        let lock = try await vault.lock(id, timeout: .zero)
        try vault.replaceProfile(
            secret("p"), of: id, names: ["new.example.com"], givingUp: [], under: lock, vault.lockAccounts())
        #expect(try vault.find(name: "new.example.com") == [id])
        _ = consume lock
    }

    @Test("names that an account gives up don't lead to it, and empty name files are removed")
    func givesUpNames() async throws {
        let (vault, id) = try fixture.createWithAccount()
        let other = try VaultFixture.add(to: vault, names: ["shared"])
        let lock = try await vault.lock(id, timeout: .zero)
        try vault.replaceProfile(
            secret("p"), of: id, names: ["old", "shared", "Kept"], givingUp: [], under: lock,
            vault.lockAccounts())
        try vault.replaceProfile(
            secret("q"), of: id, names: ["new", "kept"], givingUp: ["old", "shared", "Kept"], under: lock,
            vault.lockAccounts())
        _ = consume lock
        #expect(try vault.find(name: "old") == [] && vault.find(name: "shared") == [other])
        #expect(try vault.find(name: "new") == [id] && vault.find(name: "kept") == [id])
        #expect(try FileSystem.names(in: fixture.home + "/names").count == 3)
    }

    @Test func refusesNameFilesThatWereSwapped() throws {
        let vault = try fixture.create()
        let names = fixture.home + "/names"
        try VaultFixture.add(to: vault, names: ["alice"])
        let alice = names + "/" + (try #require(FileSystem.names(in: names).first))
        try VaultFixture.add(to: vault, names: ["bob"])
        let bob = try #require(FileSystem.names(in: names).map { names + "/" + $0 }.first { $0 != alice })
        try fixture.write(try fixture.bytes(bob), alice)
        // A damaged name file gives no answer, and must not lead to bob.
        #expect(try vault.find(name: "alice") == nil)
    }

    @Test func doesNotTakeAMissingIndexForOneWithoutNames() throws {
        let vault = try fixture.create()
        try VaultFixture.add(to: vault, names: ["alice"])
        #expect(try vault.find(name: "bob") == [])
        try FileSystem.removeTree(fixture.home + "/names")
        #expect(try vault.find(name: "alice") == nil)
    }

    @Test("a profile is not written if its names can't be")
    func writesNoProfileWithoutNames() async throws {
        let (vault, id) = try fixture.createWithAccount()
        let names = fixture.home + "/names"
        Disk.link(names, to: fixture.base)
        let before = try fixture.bytes(fixture.file(.profile, id))
        let lock = try await vault.lock(id, timeout: .zero)
        do {
            try vault.replaceProfile(
                secret("other"), of: id, names: ["bob"], givingUp: [], under: lock, vault.lockAccounts())
            Issue.record("written")
        } catch {
            #expect(error == .symlink(path: names))
        }
        _ = consume lock
        #expect(try fixture.bytes(fixture.file(.profile, id)) == before)
    }

    @Test("a damaged index of names is built again", .covers("G6", "K4"))
    func rebuilds() throws {
        let vault = try fixture.create()
        let id = try VaultFixture.add(to: vault, names: ["alice"])
        try VaultFixture.add(to: vault, names: ["bob"])
        let lists = try FileSystem.names(in: fixture.home + "/names")
        for name in lists { try fixture.damage(fixture.home + "/names/" + name) }
        #expect(try vault.find(name: "alice") == nil)
        let accounts = [(id: id, names: ["alice", "Ally"])]
        #expect(try vault.rebuildNames(accounts).count == 2)
        #expect(try vault.check().findings.isEmpty)
        #expect(try vault.find(name: "alice") == [id] && vault.find(name: "ally") == [id])
        #expect(try vault.rebuildNames(accounts).isEmpty)
        #expect(try FileSystem.names(in: fixture.home + "/workshop").isEmpty)
    }

    @Test("readable name files are kept, even of unreadable accounts")
    func keepsReadableNames() throws {
        let vault = try fixture.create()
        let id = try VaultFixture.add(to: vault, names: ["alice"])
        try VaultFixture.add(to: vault, names: ["bob"])
        let other = try VaultFixture.add(to: vault, names: ["carol"])
        for name in try FileSystem.names(in: fixture.home + "/names") {
            let path = fixture.home + "/names/" + name
            let bytes = try fixture.bytes(path)
            try fixture.damage(path)
            if try vault.find(name: "carol") == nil { try fixture.write(bytes, path) }
        }
        #expect(try vault.rebuildNames([(id: id, names: ["alice"])]).count == 2)
        #expect(try vault.find(name: "carol") == [other] && vault.find(name: "alice") == [id])
    }

    @Test("nothing is removed behind a symbolic link in place of the index")
    func followsNoLink() throws {
        let vault = try fixture.create()
        try VaultFixture.add(to: vault, names: ["alice"])
        try VaultFixture.add(to: vault, names: ["bob"])
        let names = fixture.home + "/names"
        let precious = fixture.base + "/precious"
        try PrivateDirectory.create(precious)
        for name in ["abcdef", ".bskyauth-tmp-abcdef-1f"] { try fixture.write([1], precious + "/" + name) }
        try FileSystem.removeTree(names)
        Disk.link(names, to: precious)
        #expect(throws: VaultError.symlink(path: names)) { try vault.rebuildNames([]) }
        #expect(try FileSystem.names(in: precious).count == 2)
    }
}
