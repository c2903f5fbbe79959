import ATPCryptography
import ATPJSON
import ATPPlatform
import ATProtoSessions
import ATProtoVault
import FoundationEssentials
import Glibc
import Testing

@Suite("Changing the vault key") struct RekeyingTests {
    private let fixture: VaultFixture

    init() throws {
        fixture = try VaultFixture()
    }

    private static func begin(_ vault: CredentialVault) throws -> CredentialVault {
        try vault.beginRekeying(
            vault.planRekeying(keeping: [VaultFixture.passphrase], cost: VaultFixture.cost))
    }

    private static func finish(_ vault: CredentialVault, names: [String] = []) async throws {
        for id in try vault.accounts() {
            let lock = try await vault.lock(id, timeout: .seconds(5))
            try vault.sealAnew(id, names: names, under: lock)
        }
        try #require(try vault.endRekeying().isEmpty)
    }

    /// Every file but the locks.
    private func files() throws -> [String: [UInt8]] {
        try fixture.contents().filter { !$0.key.contains("/locks/") }
    }

    /// The key id in each sealed file of the vault.
    private func keys() throws -> Set<[UInt8]> {
        Set(
            try fixture.contents().values.filter { $0.starts(with: "BSKYAUTH".utf8) }.map {
                Array($0[11..<27])
            })
    }

    @Test("every file is under the new key, in its old generation, and none under the previous one")
    func whole() async throws {
        let old = try fixture.create()
        let id = try VaultFixture.add(to: old, names: ["alice"])
        let other = try VaultFixture.add(to: old, names: ["alice"])
        try old.setActive(id)
        let lock = try await old.lock(id, timeout: .zero)
        try old.noteMirror(of: 1, of: id, under: lock)
        try old.replaceSession(secret("second"), of: id, under: lock)
        try old.beginRotation(of: id, under: lock, tokenFingerprint: "spent", reserving: 64, at: Date())
            .leaveUncertain()
        let header = try fixture.bytes(fixture.home + "/vault.json")
        let before = try keys()

        let new = try Self.begin(old)
        try await Self.finish(new, names: ["alice"])

        let vault = try fixture.open()
        #expect(!vault.isRekeying)
        #expect(vault.id == old.id)
        #expect(text(try vault.read(.session, of: id)) == "second")
        #expect(try vault.read(.session, of: id).generation == 2)
        #expect(text(try vault.read(.profile, of: other)) == "profile of \(other)")
        #expect(try Set(#require(try vault.find(name: "alice"))) == [id, other])
        #expect(try vault.active().current == id)
        let again = try await vault.lock(id, timeout: .zero)
        #expect(try vault.intent(of: id, under: again)?.tokenFingerprint == "spent")
        #expect(try vault.mirrorState(of: id) == .behind)
        #expect(try vault.check().findings.isEmpty)
        for kind in RecordKind.allCases {
            #expect(
                try fixture.bytes(fixture.file(kind, other))
                    == fixture.bytes(fixture.file(kind, other) + ".copy"))
        }
        #expect(try keys().count == 1)
        #expect(try keys().isDisjoint(with: before))
        // The old header and its passphrase give the old key, which opens nothing any more.
        try fixture.write(header, fixture.home + "/vault.json")
        let stolen = try fixture.open()
        #expect(throws: VaultError.self) { try stolen.read(.session, of: id) }
        #expect(try stolen.check().goodFiles == 1)
        // The old header's copy does not replace the new one.
        let copy = fixture.home + "/vault.json.copy"
        let good = try fixture.bytes(copy)
        #expect(try stolen.check().findings.contains { $0.file == copy })
        #expect(try stolen.restoreHeaderCopy()?.summary == "vault.json.copy left")
        try await stolen.addKey(.keyFile(path: fixture.base + "/late"), named: nil)
        #expect(try fixture.bytes(copy) == good)
    }

    @Test("until it ends, both keys read and only the new one writes")
    func between() async throws {
        let old = try fixture.create()
        let id = try VaultFixture.add(to: old, names: ["alice"])
        try old.setActive(id)
        _ = try Self.begin(old)
        let vault = try fixture.open()
        #expect(vault.isRekeying)
        #expect(try CredentialVault.summary(at: fixture.home).isRekeying)
        #expect(text(try vault.read(.session, of: id)) == "session of \(id)")
        #expect(try vault.find(name: "alice") == [id])
        #expect(try vault.active().current == id)
        let added = try VaultFixture.add(to: vault, names: ["alice"])
        #expect(try Set(#require(try vault.find(name: "alice"))) == [id, added])
        let lock = try await vault.lock(id, timeout: .zero)
        try vault.beginRotation(of: id, under: lock, tokenFingerprint: "one", reserving: 64, at: Date())
            .commit(secret("rotated"))
        #expect(text(try vault.read(.session, of: id)) == "rotated")
        #expect(try vault.check().findings.isEmpty)
        // It continues after a change of the passphrase.
        try vault.changePassphrase(of: "passphrase", to: secret("new"), cost: VaultFixture.cost)
        let changed = try CredentialVault.open(at: fixture.home, key: .passphrase(secret("new")))
        #expect(changed.isRekeying)
        #expect(text(try changed.read(.profile, of: id)) == "profile of \(id)")
        try await Self.finish(changed, names: ["alice"])
        #expect(try keys().count == 1)
        #expect(try Set(#require(try changed.find(name: "alice"))) == [id, added])
    }

    @Test("a process that opened the vault before gets an error and writes nothing")
    func opened() async throws {
        let old = try fixture.create()
        let id = try VaultFixture.add(to: old)
        let new = try Self.begin(old)
        let before = try files()
        await #expect(throws: VaultError.keyChanged) { _ = try await old.lock(id, timeout: .zero) }
        #expect(throws: VaultError.keyChanged) { _ = try old.tryLock(id) }
        #expect(throws: VaultError.keyChanged) { try VaultFixture.add(to: old) }
        #expect(throws: VaultError.keyChanged) { try old.setActive(id) }
        #expect(throws: VaultError.keyChanged) { _ = try old.rebuildNames([(id: id, names: ["alice"])]) }
        #expect(throws: VaultError.keyChanged) {
            try old.changePassphrase(of: "passphrase", to: secret("new"), cost: VaultFixture.cost)
        }
        #expect(throws: VaultError.keyChanged) { _ = try Self.begin(old) }
        #expect(text(try old.read(.session, of: id)) == "session of \(id)")
        #expect(try files() == before)
        try await Self.finish(new)
        #expect(throws: VaultError.keyChanged) { try old.read(.session, of: id) }
    }

    @Test("it waits for a rotation that began before, and seals its session again")
    func rotation() async throws {
        let old = try fixture.create()
        let id = try VaultFixture.add(to: old)
        let permit = try old.beginRotation(
            of: id, under: try await old.lock(id, timeout: .zero), tokenFingerprint: "one", reserving: 64,
            at: Date())
        let new = try Self.begin(old)
        await #expect(throws: VaultError.self) { _ = try await new.lock(id, timeout: .zero) }
        #expect(try new.endRekeying() == [id])
        #expect(try CredentialVault.summary(at: fixture.home).isRekeying)
        try permit.commit(secret("rotated"))
        try await Self.finish(new)
        let vault = try fixture.open()
        #expect(text(try vault.read(.session, of: id)) == "rotated")
        #expect(try keys().count == 1)
    }

    @Test("its end removes nothing behind a symbolic link in place of the index")
    func namesBehindALink() async throws {
        let vault = try Self.begin(try fixture.create())
        let names = fixture.home + "/names"
        let file = fixture.base + "/precious/.bskyauth-tmp-abcdef-1f"
        try PrivateDirectory.create(fixture.base + "/precious")
        try fixture.write([1], file)
        Disk.link(names, to: fixture.base + "/precious")
        #expect(throws: VaultError.symlink(path: names)) { try vault.endRekeying() }
        #expect(try fixture.bytes(file) == [1])
        #expect(try CredentialVault.summary(at: fixture.home).isRekeying)
        try FileSystem.remove(names)
        try await Self.finish(vault)
    }

    @Test("a key slot stays, with its name, only if its secret is given")
    func slots() async throws {
        let vault = try fixture.create()
        let id = try VaultFixture.add(to: vault)
        let file = KeySource.keyFile(path: fixture.base + "/key")
        try await vault.addKey(file, named: "ci", cost: VaultFixture.cost)
        try await vault.addKey(.passphrase(secret("other")), named: "backup", cost: VaultFixture.cost)
        #expect(throws: VaultError.wrongPassphrase) {
            _ = try vault.planRekeying(keeping: [.passphrase(secret("nobody's"))], cost: VaultFixture.cost)
        }
        let plan = try vault.planRekeying(
            keeping: [.passphrase(secret("other")), file], cost: VaultFixture.cost)
        #expect(plan.kept == ["ci", "backup"])
        #expect(plan.dropped == ["passphrase"])
        #expect(!(try CredentialVault.summary(at: fixture.home).isRekeying))
        try await Self.finish(try vault.beginRekeying(plan))
        #expect(throws: VaultError.wrongPassphrase) { try fixture.open() }
        for source in [file, .passphrase(secret("other"))] {
            let opened = try CredentialVault.open(at: fixture.home, key: source)
            #expect(text(try opened.read(.session, of: id)) == "session of \(id)")
        }
        #expect(try CredentialVault.summary(at: fixture.home).slots.map(\.name) == ["ci", "backup"])
    }

    @Test("a plan is refused if the header has changed")
    func outdated() async throws {
        let vault = try fixture.create()
        let plan = try vault.planRekeying(keeping: [VaultFixture.passphrase], cost: VaultFixture.cost)
        try await vault.addKey(.passphrase(secret("other")), named: "backup", cost: VaultFixture.cost)
        let before = try files()
        #expect(throws: VaultError.keyChanged) { _ = try vault.beginRekeying(plan) }
        #expect(try files() == before)
    }

    @Test("a header that was changed without the key is not made authentic")
    func forged() async throws {
        let vault = try Self.begin(try fixture.create())
        let header = fixture.home + "/vault.json"
        try fixture.editHeader { members in
            var slot = members["slots"]?.array?.first?.object ?? [:]
            let wrapped = slot["wrapped"]
            slot["wrapped"] = nil
            slot["label"] = "theirs"
            slot["wrapped"] = wrapped
            members["slots"] = .array([.object(slot)])
        }
        let forged = try fixture.bytes(header)
        #expect(try CredentialVault.summary(at: fixture.home).slots.map(\.name) == ["theirs"])
        let error = #expect(throws: VaultError.self) { try vault.endRekeying() }
        #expect(error?.changedFile == header)
        #expect(try fixture.bytes(header) == forged)
    }

    @Test("each flipped bit of a header with two keys is refused")
    func flips() throws {
        _ = try Self.begin(try fixture.create())
        let header = fixture.home + "/vault.json"
        try fixture.flippingEachBit(of: header) { index in
            #expect(throws: VaultError.self, "byte \(index)") { try fixture.open() }
        }
        #expect(try fixture.open().isRekeying)
    }

    @Test("a kill at any instant loses nothing, and the next call finishes", arguments: 0..<16)
    func killed(_ round: UInt32) async throws {
        let vault = try fixture.create()
        var ids: [UUID] = []
        for _ in 0..<4 { ids.append(try VaultFixture.add(to: vault, names: ["alice"])) }
        try vault.setActive(ids[2])
        await #expect(processExitsWith: .signal(SIGKILL)) { [home = fixture.home as String, round] in
            var vault = try CredentialVault.open(at: home, key: VaultFixture.passphrase)
            try DetachedKiller.start(after: 1_000 + round * 2_300)
            while true {
                vault = vault.isRekeying ? vault : try Self.begin(vault)
                try await Self.finish(vault, names: ["alice"])
                vault = try CredentialVault.open(at: home, key: VaultFixture.passphrase)
            }
        }
        let left = try fixture.open()
        #expect(try left.check().findings.isEmpty)
        for id in ids { #expect(text(try left.read(.session, of: id)) == "session of \(id)") }
        #expect(try Set(#require(try left.find(name: "alice"))) == Set(ids))
        #expect(try left.active().current == ids[2])
        if left.isRekeying { try await Self.finish(left, names: ["alice"]) }
        #expect(try keys().count == 1)
        #expect(try Set(#require(try fixture.open().find(name: "alice"))) == Set(ids))
    }
}
