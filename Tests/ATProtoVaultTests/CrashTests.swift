import ATPPlatform
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import BskyAuthTestPrograms
import FoundationEssentials
import Glibc
import Testing

/// Kills real processes and looks at what is left.
@Suite("Crash") struct CrashTests {
    private let fixture: VaultFixture

    /// More rounds kill at more instants and find more mistakes.
    private static let rounds: UInt32 = testsAll ? 200 : 40

    init() throws {
        fixture = try VaultFixture()
    }

    private static func begin(_ home: String, _ id: UUID) async throws -> ReservedRotation {
        let vault = try CredentialVault.open(at: home, key: VaultFixture.passphrase)
        let lock = try await vault.lock(id, timeout: .seconds(5))
        return try vault.beginRotation(
            of: id, under: lock, tokenFingerprint: "old", reserving: 4096, at: Date())
    }

    private static func die(after microseconds: UInt32 = 0) {
        usleep(microseconds)
        kill(getpid(), SIGKILL)
    }

    @Test func keepsTheIntentAndTheOldSession() async throws {
        let (vault, id) = try fixture.createWithAccount()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [home = fixture.home as String, id = id as UUID] in
            let permit = try await Self.begin(home, id)
            Self.die()
            permit.leaveUncertain()
        }
        #expect(text(try vault.read(.session, of: id)) == "session of \(id)")
        // The lock ended with the process. The next rotation removes the reserved space.
        let permit = try await Self.begin(fixture.home, id)
        #expect(permit.intent.attempt == 2)
        try permit.commit(secret("rotated"))
        #expect(text(try vault.read(.session, of: id)) == "rotated")
        #expect(
            try Set(FileSystem.names(in: fixture.directory(id)))
                == ["profile", "profile.copy", "session", "session.copy"])
    }

    @Test func leavesNothingOfAReservation() async throws {
        let (vault, id) = try fixture.createWithAccount()
        await #expect(processExitsWith: .signal(SIGKILL)) { [directory = fixture.directory(id) as String] in
            let reserved = try AtomicFile.reserve(directory + "/session", size: 5000)
            Self.die()
            try reserved.commit([1])
        }
        #expect(try FileSystem.names(in: fixture.directory(id)).count == 5)
        #expect(text(try vault.read(.session, of: id)) == "session of \(id)")
        let lock = try await vault.lock(id, timeout: .zero)
        #expect(try vault.intent(of: id, under: lock) == nil)
        try vault.replaceSession(secret("new"), of: id, under: lock)
        #expect(try FileSystem.names(in: fixture.directory(id)).count == 4)
        _ = consume lock
    }

    @Test(.covers("G4"), arguments: 0..<12) func addsAllOfAnAccountOrNothing(_ round: UInt32) async throws {
        let vault = try fixture.create()
        await #expect(processExitsWith: .signal(SIGKILL)) { [home = fixture.home as String, round] in
            let vault = try CredentialVault.open(at: home, key: VaultFixture.passphrase)
            try DetachedKiller.start(after: 2_000 + round * 1_700)
            while true { try VaultFixture.add(to: vault, names: ["alice"]) }
        }
        let accounts = try vault.accounts()
        for id in accounts {
            #expect(text(try vault.read(.session, of: id)) == "session of \(id)")
            #expect(text(try vault.read(.profile, of: id)) == "profile of \(id)")
        }
        #expect(try Set(vault.find(name: "alice") ?? []) == Set(accounts))
        let added = try VaultFixture.add(to: vault, names: ["alice"])
        #expect(try Set(#require(try vault.find(name: "alice"))) == Set(accounts + [added]))
        #expect(try FileSystem.names(in: fixture.home + "/accounts").count == accounts.count + 1)
    }

    @Test(arguments: 0..<12) func buildsAllOfAnIndexOrNothing(_ round: UInt32) async throws {
        let (vault, id) = try fixture.createWithAccount()
        _ = try vault.rebuildNames([(id: id, names: Self.names)])
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [home = fixture.home as String, id = id as UUID, round] in
            let vault = try CredentialVault.open(at: home, key: VaultFixture.passphrase)
            try DetachedKiller.start(after: 2_000 + round * 1_700)
            while true {
                // The whole index is missing, as in a backup without it.
                try FileSystem.rename(home + "/names", to: home + "/was")
                try FileSystem.removeTree(home + "/was")
                _ = try vault.rebuildNames([(id: id, names: Self.names)])
            }
        }
        let found = try Self.names.map { try vault.find(name: $0) }
        #expect(found.allSatisfy { $0 == nil } || found.allSatisfy { $0 == [id] })
        if try FileSystem.exists(fixture.home + "/was") { try FileSystem.removeTree(fixture.home + "/was") }
        _ = try vault.rebuildNames([(id: id, names: Self.names)])
        #expect(try Self.names.allSatisfy { try vault.find(name: $0) == [id] })
        #expect(try FileSystem.names(in: fixture.home + "/workshop").isEmpty)
    }

    private static let names = (0..<9).map { "name-\($0)" }

    @Test(.covers("F8", "H2"), arguments: 0..<rounds) func rotatesToOldOrNew(_ round: UInt32) async throws {
        let (vault, id) = try fixture.createWithAccount()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [home = fixture.home as String, id = id as UUID, round] in
            let vault = try CredentialVault.open(at: home, key: VaultFixture.passphrase)
            try DetachedKiller.start(after: 1_000 + round * 97)
            while true {
                let generation = try vault.read(.session, of: id).generation
                let permit = try await Self.begin(home, id)
                try permit.commit(secret("generation \(generation + 1)"))
            }
        }
        let session = try vault.read(.session, of: id)
        #expect(
            text(session)
                == (session.generation == 1 ? "session of \(id)" : "generation \(session.generation)"))
        try await Self.begin(fixture.home, id).commit(secret("after"))
        #expect(text(try vault.read(.session, of: id)) == "after")
    }

    @Test(arguments: 0..<12) func changesKeysToOldOrNew(_ round: UInt32) async throws {
        let (vault, id) = try fixture.createWithAccount()
        let key = KeySource.keyFile(path: fixture.base + "/key")
        try await vault.addKey(key, named: "key")
        await #expect(processExitsWith: .signal(SIGKILL)) { [home = fixture.home as String, round] in
            let vault = try CredentialVault.open(at: home, key: VaultFixture.passphrase)
            try DetachedKiller.start(after: 1_000 + round * 331)
            while true {
                try await vault.addKey(VaultFixture.passphrase, named: "second", cost: VaultFixture.cost)
                try vault.changePassphrase(of: "second", to: secret("new"), cost: VaultFixture.cost)
                try await vault.removeKey(named: "second")
            }
        }
        for source in [VaultFixture.passphrase, key] {
            let opened = try CredentialVault.open(at: fixture.home, key: source)
            #expect(text(try opened.read(.session, of: id)) == "session of \(id)")
        }
        let names = try CredentialVault.summary(at: fixture.home).slots.map(\.name)
        #expect([["passphrase", "key"], ["passphrase", "key", "second"]].contains(names))
        // The next change removes what the killed process left beside the header.
        try await vault.addKey(.keyFile(path: fixture.base + "/third"), named: "third")
        #expect(try !FileSystem.names(in: fixture.home).contains { $0.hasPrefix(".") })
    }

    @Test(.covers("R63")) func makesOthersWaitForALockOfAnotherProcess() async throws {
        let (vault, id) = try fixture.createWithAccount()
        let held = fixture.base + "/held"
        let enough = fixture.base + "/enough"
        let child = Task { [home = fixture.home] in
            _ = await #expect(processExitsWith: .signal(SIGKILL)) {
                [home = home as String, id = id as UUID, held = held as String, enough = enough as String] in
                let permit = try await Self.begin(home, id)
                try AtomicFile.write(Array("\(getpid())".utf8), to: held)
                while try !FileSystem.exists(enough) { usleep(5_000) }
                Self.die(after: 50_000)
                permit.leaveUncertain()
            }
        }
        while try !FileSystem.exists(held) { try await Task.sleep(for: .milliseconds(5)) }
        let holder = Int32(String(decoding: try fixture.bytes(held), as: UTF8.self))
        #expect(holder != nil && holder != ProcessInfo.pid)
        await #expect(throws: VaultError.busy(holder: holder)) {
            _ = try await vault.lock(id, timeout: .milliseconds(20))
        }
        try fixture.write([], enough)
        let lock = try await vault.lock(id, timeout: .seconds(30))
        #expect(try vault.intent(of: id, under: lock)?.attempt == 1)
        _ = consume lock
        await child.value
    }
}
