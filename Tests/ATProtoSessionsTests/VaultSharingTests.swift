import ATPCryptography
import ATProtoSessions
import ATProtoVault
import BskyAuthRows
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

/// How machines begin and end to share a vault, with a store that fails in the middle.
@Suite("Sharing a vault", .timeLimit(.minutes(5))) struct VaultSharingTests {
    private let first: Session
    private let directory: TemporaryDirectory
    private let rows = MemoryRows()
    private let link: FaultyRows
    private let origin: TestVault

    init() throws {
        first = try Sessions.session("first")
        directory = try TemporaryDirectory()
        link = FaultyRows(rows)
        origin = try TestVault(at: "\(directory.path)/0", key: "\(directory.path)/key")
    }

    private var stores: StoreOpener {
        let link = link
        return StoreOpener { _, _ in link }
    }

    private var key: KeySource { .keyFile(path: "\(directory.path)/key") }

    private func share(_ vault: CredentialVault, named name: String = "first") async throws -> CredentialVault
    {
        try await vault.share(
            through: Fleet.store, password: nil, as: SharedMachine(name: name, isDurable: true), with: stores)
    }

    private func join(_ name: String) async throws -> CredentialVault {
        try await CredentialVault.join(
            Fleet.store, password: nil, key: key, at: "\(directory.path)/\(name)",
            as: SharedMachine(name: name, isDurable: true), with: stores)
    }

    private func reopened() throws -> CredentialVault {
        try CredentialVault.open(at: origin.vault.home, key: key, stores: stores)
    }

    @Test("refuses a second machine that stays under one name, and leaves no vault; jobs may have one name")
    func names() async throws {
        _ = try origin.add(try Sessions.session("one"))
        let first = try await share(origin.vault)
        func join(_ place: String, isDurable: Bool) async throws -> CredentialVault {
            try await CredentialVault.join(
                Fleet.store, password: nil, key: key, at: "\(directory.path)/\(place)",
                as: SharedMachine(name: "first", isDurable: isDurable), with: stores)
        }
        let members = try await #require(first.sharedAccounts).machines()
        let taken = VaultError.sharingRefused(.nameTaken(by: try #require(members.first).machine))
        await #expect(throws: taken) { _ = try await join("durable", isDurable: true) }
        #expect(!FileManager.default.fileExists(atPath: "\(directory.path)/durable"))
        for place in ["job1", "job2"] { _ = try await join(place, isDurable: false) }
        // A machine keeps its own name, and does not take that of another one.
        _ = try await first.joinAgain(Fleet.store, password: nil, name: nil, isDurable: true, with: stores)
        let second = try await self.join("second")
        await #expect(throws: taken) {
            _ = try await second.joinAgain(
                Fleet.store, password: nil, name: "first", isDurable: nil, with: stores)
        }
        // The disk of the first machine is lost.
        let accounts = try #require(second.sharedAccounts)
        let lost = try await accounts.machines().first { $0.machine.name == "first" && $0.machine.isDurable }
        _ = try await accounts.forget(try #require(lost).machine.id)
        _ = try await join("durable", isDurable: true)
    }

    @Test("is finished by the next call after the store failed at any write", arguments: 1...4)
    func interrupted(write: Int) async throws {
        for _ in 0..<2 { _ = try origin.add(try Sessions.session(UUID().uuidString)) }
        link.failAt(write: write, with: .lastRequestLost)
        await #expect(throws: VaultError.self) { _ = try await share(origin.vault) }
        link.heal()
        // A new password does not hide that the sharing has to be finished.
        await #expect(throws: VaultError.self) {
            _ = try await reopened().joinAgain(
                Fleet.store, password: SecretBytes([1]), name: nil, isDurable: nil, with: stores)
        }
        // No machine can join a vault that is not there completely.
        await #expect(throws: VaultError.self) { _ = try await join("early") }
        let vault = try await share(try reopened())
        #expect(try await join("second").accounts().count == 2)
        #expect(try await vault.sharedAccounts?.machines().map(\.machine.name) == ["first", "second"])
    }

    @Test("ends completely with the next call after the store failed at any write", arguments: 1...5)
    func interruptedEnd(write: Int) async throws {
        for _ in 0..<2 { _ = try origin.add(try Sessions.session(UUID().uuidString)) }
        let vault = try await share(origin.vault)
        let second = try await join("second")
        link.failAt(write: write, with: .lastRequestLost)
        await #expect(throws: VaultError.self) { try await vault.unshare() }
        link.heal()
        try await reopened().unshare()
        #expect(try !reopened().isShared)
        #expect(try reopened().accounts().count == 2)
        #expect(try await rows.list("", after: nil, limit: 10).map(\.key) == ["vault"])
        await #expect {
            _ = try await second.sharedAccounts?.synchronize()
        } throws: { error in
            guard case VaultError.sharingRefused(.unshared(let machine)) = error else { return false }
            return machine.name == "first"
        }
        // The copies of the other machine stay, for the case that the vault is shared again.
        #expect(try second.accounts().count == 2)
        _ = try await share(try reopened())
        #expect(try await second.sharedAccounts?.synchronize().behind == [])
    }

    @Test("ends also if somebody has logged out of an account meanwhile", .timeLimit(.minutes(5)))
    func afterLogout() async throws {
        let vault = FileVault(try await share(origin.vault))
        let account = try Sessions.account()
        try await vault.save(account, first)
        try await vault.remove(account.id)
        try await reopened().unshare()
        #expect(try await rows.list("", after: nil, limit: 10).map(\.key) == ["vault"])
    }

    @Test("waits for what this machine has not finished") func unfinished() async throws {
        let fleet = try await Fleet(first)
        let machine = try await fleet.machine()
        try await machine.refresh(first, after: { machine.link.cut() })
        machine.link.heal()
        // The answer is brought to the store first.
        try await machine.vault.unshare()
        #expect(try await machine.session().refreshToken?.reveal() == fleet.server.current)
    }

    @Test("is refused while another machine refreshes an account") func claimed() async throws {
        let fleet = try await Fleet(first)
        let (machine, other) = (try await fleet.machine(), try await fleet.machine())
        try await machine.refresh(first, after: { machine.link.cut() })
        await #expect {
            try await other.vault.unshare()
        } throws: { error in
            if case VaultError.claimed = error { true } else { false }
        }
        #expect(other.vault.isShared)
        // The store is still the store of both.
        machine.link.heal()
        _ = try await #require(machine.vault.sharedAccounts).synchronize()
        #expect(try await other.refresh(first).refreshToken?.reveal() == fleet.server.current)
        try await other.vault.unshare()
    }

    @Test("leaves a store that never returns, and this machine goes on alone") func leave() async throws {
        let fleet = try await Fleet(first)
        let machine = try await fleet.machine()
        machine.link.cut()
        try await machine.vault.abandonStore()
        let alone = try CredentialVault.open(
            at: machine.vault.home, key: .keyFile(path: "\(fleet.directory.path)/key"))
        #expect(!alone.isShared)
        #expect(try alone.accounts() == [fleet.id])
    }

    @Test("takes key files from the store, and keeps passphrases here") func keys() async throws {
        let vault = try await share(origin.vault)
        let second = try await join("second")
        let added = KeySource.keyFile(path: "\(directory.path)/added")
        try await second.addKey(added, named: "added")
        try await second.addKey(
            .passphrase(.init(Array("only here".utf8))), named: "here", cost: .init(n: 1024, r: 8, p: 1))
        _ = try await vault.sharedAccounts?.synchronize()
        let names = try CredentialVault.summary(at: vault.home).slots.map(\.name)
        #expect(Set(names) == ["key-file", "added"])
        try await vault.removeKey(named: "key-file")
        _ = try await second.sharedAccounts?.synchronize()
        #expect(Set(try CredentialVault.summary(at: second.home).slots.map(\.name)) == ["added", "here"])
        await #expect(throws: VaultError.lastKey("added")) { try await second.removeKey(named: "added") }
        await #expect(throws: VaultError.self) { _ = try await join("third") }
    }

    @Test("needs a key file, and a store without other data") func refusals() async throws {
        try await rows.put("accounts/other", [1], if: .always)
        await #expect(throws: VaultError.sharingRefused(.storeInUse)) { _ = try await share(origin.vault) }
        #expect(try !reopened().isShared)
        await #expect(throws: VaultError.sharingRefused(.storeHasNoVault)) { _ = try await join("second") }
        #expect(try !CredentialVault.exists(at: "\(directory.path)/second"))
        let typed = try CredentialVault.create(
            at: "\(directory.path)/typed", key: .passphrase(.init(Array("words".utf8))),
            cost: .init(n: 1024, r: 8, p: 1))
        await #expect(throws: VaultError.sharingRefused(.noKeyFile)) {
            _ = try await share(typed)
        }
    }

    @Test("stops a program that opened the vault before it was shared") func earlierProgram() async throws {
        let id = try origin.add(first)
        let server = TokenServer(first)
        let earlier = Machine(
            id: id, vault: try CredentialVault.open(at: origin.vault.home, key: key), link: link,
            server: server)
        _ = try await share(try reopened())
        let error = await #expect(throws: StoreError.self) { try await earlier.refresh(first) }
        #expect(error?.cause as? VaultError == .sharingChanged)
        #expect(server.requests == 0)
    }

    @Test("refuses a header that was changed in the store", arguments: ["by", "header"])
    func changedHeader(member: String) async throws {
        _ = try await share(origin.vault)
        let row = try #require(try await rows.get("vault"))
        var json = try #require(
            try JSONSerialization.jsonObject(with: Data(row.value)) as? [String: Any])
        let text = try #require(json[member] as? String)
        let place = text.index(text.startIndex, offsetBy: text.count / 2)
        json[member] = text.replacingCharacters(in: place...place, with: text[place] == "A" ? "B" : "A")
        try await rows.put("vault", Array(JSONSerialization.data(withJSONObject: json)), if: .always)
        await #expect(throws: VaultError.self) { _ = try await join("second") }
        #expect(try !CredentialVault.exists(at: "\(directory.path)/second"))
    }

    // MARK: Clients

    private func setClient(_ id: UUID, to content: String?, in vault: CredentialVault) async throws {
        try await vault.changeClients { _ in (id, content.map { SecretBytes(Array($0.utf8)) }) }
    }

    private func clients(of vault: CredentialVault) throws -> [String] {
        try vault.clients().map { String(decoding: $0.content.bytes, as: UTF8.self) }
    }

    @Test("takes the clients along, and each machine has the changes of the others") func clients()
        async throws
    {
        let (one, two) = (UUID(), UUID())
        try await setClient(one, to: "one", in: origin.vault)
        let vault = try await share(origin.vault)
        let second = try await join("second")
        #expect(try clients(of: second) == ["one"])
        try await setClient(one, to: "one with a key", in: second)
        try await setClient(two, to: "two", in: second)
        // A machine changes what the others have made of it.
        try await vault.changeClients { present in
            let content = present.first { $0.id == one }?.content.bytes ?? []
            return (one, SecretBytes(content + Array(" and another".utf8)))
        }
        _ = try await second.sharedAccounts?.synchronize()
        for vault in [vault, second] {
            #expect(Set(try clients(of: vault)) == ["one with a key and another", "two"])
        }
        try await setClient(two, to: nil, in: vault)
        _ = try await second.sharedAccounts?.synchronize()
        #expect(try clients(of: second) == ["one with a key and another"])
        try await second.unshare()
        #expect(try clients(of: second) == ["one with a key and another"])
        #expect(try await rows.list("", after: nil, limit: 10).map(\.key) == ["vault"])
        await #expect(throws: VaultError.self) { try await setClient(one, to: "late", in: vault) }
        #expect(try await rows.list("", after: nil, limit: 10).map(\.key) == ["vault"])
    }

    @Test("gives the store the clients that it has lost", arguments: [false, true])
    func lostClients(isOlder: Bool) async throws {
        let one = UUID()
        try await setClient(one, to: "first key", in: origin.vault)
        let vault = try await share(origin.vault)
        let earlier = try #require(try await rows.get("clients/\(one.text)"))
        try await setClient(one, to: "second key", in: vault)
        if isOlder {
            try await rows.put(earlier.key, earlier.value, if: .always)
        } else {
            try await rows.delete(earlier.key, if: .always)
        }
        let second = try await join("second")
        #expect(try clients(of: second) == (isOlder ? ["first key"] : []))
        _ = try await vault.sharedAccounts?.synchronize()
        _ = try await second.sharedAccounts?.synchronize()
        #expect(try clients(of: second) == ["second key"])
        #expect(try clients(of: vault) == ["second key"])
    }

    @Test("changes no client without its store") func clientsWithoutStore() async throws {
        let one = UUID()
        try await setClient(one, to: "one", in: origin.vault)
        let vault = try await share(origin.vault)
        link.cut()
        await #expect(throws: VaultError.self) { try await setClient(one, to: "two", in: vault) }
        await #expect(throws: VaultError.self) { try await setClient(one, to: nil, in: vault) }
        #expect(try clients(of: vault) == ["one"])
    }
}
