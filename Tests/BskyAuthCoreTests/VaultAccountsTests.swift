import ATProtoIdentity
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("VaultAccounts") struct VaultAccountsTests {
    let world: World
    private var accounts: VaultAccounts { world.accounts }
    private let otherDID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"

    init() throws { world = try World() }

    private func add(_ handle: String?, label: String? = nil, did: String = World.did, later: Double = 0)
        async throws -> UUID
    {
        try await world.add(
            World.session(),
            World.account(
                did: did, handle: handle, label: label, addedAt: World.start.addingTimeInterval(later)))
    }

    private func failure(_ step: () throws -> Void) -> CoreError? {
        #expect(throws: CoreError.self) { try step() }
    }

    @Test("finds an account by every name it has, whatever the case", .covers("G6")) func find() async throws
    {
        let id = try await add("alice.example.com", label: "Work")
        let names = [
            "alice.example.com", "@Alice.Example.com", World.did, "Work", "work", id.uuidString,
            id.uuidString.lowercased(), String(id.uuidString.lowercased().prefix(8)),
            String(id.uuidString.prefix(4)),
        ]
        for name in names { #expect(try accounts.find(name).id == id, "\(name)") }
    }

    @Test("does not find by parts of names or too short a prefix") func notFound() async throws {
        let id = try await add("alice.example.com", label: "work")
        for name in ["alice", "", "@", "wor", String(id.uuidString.prefix(3)), "did:plc:"] {
            guard case .unknownAccount(name, let known)? = failure({ _ = try accounts.find(name) }) else {
                Issue.record("\(name)")
                return
            }
            #expect(known.map(\.id) == [id])
        }
    }

    @Test("an empty vault says so") func empty() {
        guard case .noAccounts? = failure({ _ = try accounts.find("alice.example.com") }),
            case .noAccounts? = failure({ _ = try accounts.select(choice()) })
        else {
            Issue.record("expected .noAccounts")
            return
        }
    }

    @Test("a handle of several sessions is the one without a label, and none while that one can't be read")
    func withoutLabel() async throws {
        let plain = try await add("alice.example.com")
        let work = try await add("alice.example.com", label: "work")
        _ = try await add("alice.example.com", label: "ci")
        let did = try accounts.account(plain).did.description
        for name in ["alice.example.com", did] { #expect(try accounts.find(name).id == plain) }
        #expect(try accounts.find("work").id == work)
        let folder = accounts.vault.directory(of: plain)
        for isIndexed in [true, false] {
            if !isIndexed { try damageIndex(true) }
            for file in ["profile", "profile.copy"] {
                try Data("nonsense".utf8).write(to: URL(filePath: "\(folder)/\(file)"))
            }
            #expect(throws: VaultError.self) { try accounts.find("alice.example.com") }
            #expect(try accounts.find("work").id == work)
        }
    }

    @Test("a name of two is ambiguous and lists both") func ambiguous() async throws {
        let ids = [
            try await add("alice.example.com", label: "work"),
            try await add("alice.example.com", label: "ci"),
        ]
        guard
            case .ambiguousAccount(_, let candidates)? = failure({
                _ = try accounts.find("alice.example.com")
            })
        else {
            Issue.record("another result")
            return
        }
        #expect(Set(candidates.map(\.id)) == Set(ids))
        #expect(try accounts.find("ci").id == ids[1])
    }

    /// Damages every list of names, or takes their directory away.
    private func damageIndex(_ isGone: Bool) throws {
        let names = world.directory.appending(path: "vault/names")
        if isGone { return try FileManager.default.removeItem(at: names) }
        for file in try FileManager.default.contentsOfDirectory(at: names, includingPropertiesForKeys: nil) {
            var bytes = try Data(contentsOf: file)
            bytes[80] ^= 1
            try bytes.write(to: file)
        }
    }

    @Test(
        "an index of names that is damaged or gone leads nobody to another account", arguments: [true, false])
    func damagedIndex(isGone: Bool) async throws {
        let alice = try await add("alice.example.com", label: "w")
        let bob = try await add("bob.example.com", did: otherDID, later: 1)
        try damageIndex(isGone)
        #expect(try accounts.find("w").id == alice)
        #expect(try accounts.find(otherDID).id == bob)
        _ = try await accounts.rename(accounts.account(bob), to: "w", lockTimeout: .zero)
        guard case .ambiguousAccount(_, let candidates)? = failure({ _ = try accounts.find("w") }) else {
            Issue.record("expected .ambiguousAccount")
            return
        }
        #expect(Set(candidates.map(\.id)) == [alice, bob])
        #expect(try accounts.find("alice.example.com").id == alice)
    }

    @Test("and a slot that is taken stays one", arguments: [true, false])
    func slotBehindADamagedIndex(isGone: Bool) async throws {
        let id = try await add("alice.example.com")
        try damageIndex(isGone)
        let saved = try await accounts.saveLogin(World.account(), World.session("new"), at: World.start) {
            holder async throws(VaultError) in try await accounts.lock(holder.id, timeout: .zero)
        }
        #expect(saved.account.id == id && saved.replaced.map(\.account.id) == [id])
        #expect(try accounts.vault.accounts() == [id])
        try damageIndex(isGone)
        #expect(try await accounts.addNew(World.account(), World.session("third"))?.id == id)
    }

    @Test("a name that was given up leads nowhere", .covers("R12")) func staleNames() async throws {
        let id = try await add("alice.example.com", label: "work")
        let other = try await add("bob.example.com", did: otherDID)
        let renamed = try await accounts.rename(accounts.account(id), to: "job", lockTimeout: .zero)
        #expect(renamed.label == "job")
        #expect(try accounts.find("job").id == id)
        #expect(throws: CoreError.self) { try accounts.find("work") }
        // And may become another's.
        _ = try await accounts.rename(accounts.account(other), to: "work", lockTimeout: .zero)
        #expect(try accounts.find("work").id == other)
        // Whatever becomes of the account that had it.
        try makeUnreadable(id, mode: nil)
        #expect(try accounts.find("work").id == other)
    }

    @Test("a name that changes its case leads to the account as before") func otherCase() async throws {
        let id = try await add("alice.example.com", label: "work")
        _ = try await accounts.rename(accounts.account(id), to: "Work", lockTimeout: .zero)
        #expect(try accounts.vault.find(name: "work") == [id])
    }

    /// Damages an account's profile, or gives it a mode.
    private func makeUnreadable(_ id: UUID, mode: Int?) throws {
        let file = world.directory.appending(path: "vault/accounts/\(id.uuidString.lowercased())/profile")
        if let mode {
            return try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        }
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    @Test("one that can't be read does not stand before the others", arguments: [nil, 0o644] as [Int?])
    func oneUnreadable(mode: Int?) async throws {
        let alice = try await add("alice.example.com")
        let bob = try await add("bob.example.com", did: otherDID, later: 1)
        try makeUnreadable(alice, mode: mode)
        let all = try accounts.all()
        #expect(all.readable.map(\.id) == [bob] && all.unreadable.map(\.id) == [alice])
        #expect(try accounts.readableAccounts().map(\.id) == [bob])
        guard case .unknownAccount(_, let known)? = failure({ _ = try accounts.find("nobody") }) else {
            Issue.record("expected .unknownAccount")
            return
        }
        #expect(known.map(\.id) == [bob])
        try makeUnreadable(bob, mode: 0o644)
        #expect(throws: VaultError.self) { try accounts.readableAccounts() }
    }

    @Test("a label can be taken away") func noLabel() async throws {
        let id = try await add("alice.example.com", label: "work")
        #expect(try await accounts.rename(accounts.account(id), to: nil, lockTimeout: .zero).label == nil)
        #expect(throws: CoreError.self) { try accounts.find("work") }
        #expect(try accounts.find("alice.example.com").id == id)
    }

    @Test("two sessions of one account have different labels") func loginTaken() async throws {
        let id = try await add("alice.example.com", label: "work")
        let other = try await add("alice.example.com", label: "ci")
        let account = try accounts.account(other)
        let error = await #expect(throws: VaultError.self) {
            try await accounts.rename(account, to: "work", lockTimeout: .zero)
        }
        guard case .loginTaken(let taken)? = error else {
            Issue.record("expected .loginTaken")
            return
        }
        #expect(taken.id == id)
        // Its own label is not taken.
        #expect(try await accounts.rename(account, to: "ci", lockTimeout: .zero).label == "ci")
    }

    @Test("no label is what another account answers to") func labelTaken() async throws {
        let alice = try await add("alice.example.com", label: "work")
        let bob = try await add("bob.example.com", did: otherDID)
        let beginning = String(alice.uuidString.lowercased().prefix(9))
        for label in ["alice.example.com", "Alice.Example.COM", beginning, alice.uuidString] {
            let account = try accounts.account(bob)
            let renaming = await #expect(throws: VaultError.self) {
                try await accounts.rename(account, to: label, lockTimeout: .zero)
            }
            let login = await #expect(throws: VaultError.self) {
                try await add(nil, label: label, did: otherDID)
            }
            guard case .labelTaken(label, by: alice)? = renaming, case .labelTaken(label, by: alice)? = login
            else {
                Issue.record("\(label)")
                return
            }
            #expect(try accounts.find(label).id == alice)
        }
        // What no account answers to, what it answers to itself, and what another account has as its label, too.
        for label in ["alice.example", "alice.example.com-bot", "bob.example.com", "abc", "work"] {
            let account = try accounts.account(bob)
            #expect(try await accounts.rename(account, to: label, lockTimeout: .zero).label == label)
        }
        #expect(try accounts.vault.accounts().count == 2)
    }

    @Test("a label that another account came to answer to stays") func labelOfOld() async throws {
        let bob = try await add("bob.example.com", label: "alice.example.com", did: otherDID)
        let alice = try await add("alice.example.com")
        let account = try accounts.account(bob)
        let label = "alice.example.com"
        #expect(try await accounts.rename(account, to: label, lockTimeout: .zero).label == label)
        #expect(try await add("bob.example.com", label: label, did: otherDID) == bob)
        // And stands for neither of the two.
        guard case .ambiguousAccount(_, let candidates)? = failure({ _ = try accounts.find(label) }) else {
            Issue.record("expected .ambiguousAccount")
            return
        }
        #expect(Set(candidates.map(\.id)) == [alice, bob])
    }

    @Test("and an index of names that is damaged or gone lets none through", arguments: [true, false])
    func labelBehindADamagedIndex(isGone: Bool) async throws {
        _ = try await add("alice.example.com")
        let bob = try await add("bob.example.com", did: otherDID)
        try damageIndex(isGone)
        let account = try accounts.account(bob)
        let error = await #expect(throws: VaultError.self) {
            try await accounts.rename(account, to: "alice.example.com", lockTimeout: .zero)
        }
        guard case .labelTaken? = error else {
            Issue.record("expected .labelTaken")
            return
        }
    }

    @Test("an account's name that can't be read refuses no label", arguments: [true, false])
    func labelBesideAnUnreadable(isGone: Bool) async throws {
        let alice = try await add("alice.example.com")
        try makeUnreadable(alice, mode: 0o644)
        try damageIndex(isGone)
        let bob = try World.account(did: otherDID, handle: "bob.example.com", label: "work")
        try accounts.requireOwnLabel(beforeLogin: bob)
        #expect(try await world.add(World.session(), bob) == bob.id)
        #expect(try accounts.find("work").id == bob.id)
    }

    @Test("an account that leaves its slot while a login waits for it keeps its session and its new label")
    func renamedMeanwhile() async throws {
        let id = try await add("alice.example.com")
        let (login, session) = (try World.account(), try World.session("new"))
        #expect(try await accounts.addNew(login, session)?.id == id)
        var held: AccountLock? = try await accounts.lock(id, timeout: .zero)
        let saved = try await accounts.saveLogin(login, session, at: World.start) {
            _ async throws(VaultError) in
            _ = held.take()
            do { _ = try await accounts.rename(accounts.account(id), to: "job", lockTimeout: .zero) } catch {
                Issue.record(error)
            }
            return try await accounts.lock(id, timeout: .zero)
        }
        #expect(try accounts.account(id).label == "job" && accounts.session(id).name == "first")
        #expect(saved.account.id == login.id && saved.replaced.isEmpty)
    }

    @Test("a slot is a DID, a label and a network", .covers("R12")) func slots() async throws {
        let id = try await add("alice.example.com")
        #expect(try await add("new.example.com") == id)
        #expect(try accounts.account(id).handle?.description == "new.example.com")
        #expect(throws: CoreError.self) { try accounts.find("alice.example.com") }
        #expect(try await add("alice.example.com", label: "ci") != id)
        let dev = try await world.add(World.session(), World.account(devNetwork: "http://127.0.0.1:2583"))
        let otherDev = try await world.add(
            World.session(), World.account(devNetwork: "http://127.0.0.1:2584"))
        #expect(Set([id, dev, otherDev]).count == 3)
        #expect(try await add("alice.example.com", did: otherDID) != id)
    }

    @Test(
        "the flag wins over the environment, that over the active account, that over the only one",
        .covers("G8"))
    func selection() async throws {
        let alice = try await add("alice.example.com")
        let bob = try await add("bob.example.com", did: otherDID)
        func selected(_ flag: String?, _ environment: String?) throws -> (UUID, AccountSelection.Source) {
            let selection = try accounts.select(choice(flag, environment))
            return (selection.account.id, selection.source)
        }
        #expect(try selected("bob.example.com", "alice.example.com") == (bob, .flag))
        #expect(try selected(nil, "bob.example.com") == (bob, .environment))
        #expect(try selected(nil, nil) == (alice, .active))
        #expect(throws: CoreError.self) { try selected("carol.example.com", "bob.example.com") }
        #expect(throws: CoreError.self) { try selected(nil, "carol.example.com") }
    }

    @Test("a pin comes after the environment and before the active account, and is never passed over")
    func pin() async throws {
        let alice = try await add("alice.example.com")
        let bob = try await add("bob.example.com", did: otherDID)
        let pin = AccountPin(account: bob, file: "/project/.bskyauth-account")
        let selection = try accounts.select(choice(nil, nil, pin))
        #expect(selection.account.id == bob && selection.source == .pin && selection.file == pin.file)
        #expect(try accounts.select(choice(nil, "alice.example.com", pin)).account.id == alice)
        #expect(try accounts.select(choice("alice.example.com", nil, pin)).source == .flag)
        let pinOfAnother = AccountPin(account: UUID(), file: pin.file)
        guard
            case .unknownPin(pinOfAnother)? = failure({
                _ = try accounts.select(choice(nil, nil, pinOfAnother))
            })
        else {
            Issue.record("expected .unknownPin(pinOfAnother)")
            return
        }
    }

    @Test("the only account stands in for the active one, unless none was chosen") func only() async throws {
        let alice = try await add("alice.example.com")
        let bob = try await add("bob.example.com", did: otherDID)
        let lock = try await accounts.lock(alice, timeout: .zero)
        try accounts.removeHere(accounts.account(alice), under: lock)
        guard case .noneActive(let choices)? = failure({ _ = try accounts.select(choice()) }) else {
            Issue.record("expected .noneActive")
            return
        }
        #expect(choices.map(\.id) == [bob])
        try accounts.activate(bob)
        #expect(try accounts.select(choice()).source == .active)
    }

    @Test("the first account after the last one was removed is active again") func firstAgain() async throws {
        let alice = try await add("alice.example.com")
        let lock = try await accounts.lock(alice, timeout: .zero)
        try accounts.removeHere(accounts.account(alice), under: lock)
        let bob = try await add("bob.example.com", did: otherDID)
        #expect(try accounts.active().current == bob)
    }

    @Test("lists the oldest first, and what does not open last instead of hiding it") func entries()
        async throws
    {
        let second = try await add("bob.example.com", did: otherDID, later: 10)
        let first = try await add("alice.example.com")
        let third = try await add("alice.example.com", label: "broken", later: -10)
        let record = world.directory.path + "/vault/accounts/\(third.uuidString.lowercased())/session"
        try Data("no".utf8).write(to: URL(filePath: record))
        let ids = try await accounts.entries().map { entry in
            switch entry {
            case .account(let account, _): account.id
            case .unreadable(let id, _): id
            }
        }
        #expect(ids == [first, second, third])
        // A profile is readable whatever has become of the session.
        #expect(try accounts.readableAccounts().map(\.id) == [third, first, second])
    }

    @Test("a directory without a record is no account") func remains() async throws {
        let alice = try await add("alice.example.com")
        let remains = world.directory.path + "/vault/accounts/\(UUID().uuidString.lowercased())"
        try FileManager.default.createDirectory(
            atPath: remains, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let entries = try await accounts.entries()
        guard entries.count == 1, case .account(let account, _) = entries[0] else {
            Issue.record("\(entries)")
            return
        }
        #expect(account.id == alice)
    }

    private func choice(
        _ flag: String? = nil, _ environment: String? = nil, _ pin: AccountPin? = nil
    ) -> AccountChoice {
        AccountChoice(flag: flag, environment: environment, pin: pin)
    }
}
