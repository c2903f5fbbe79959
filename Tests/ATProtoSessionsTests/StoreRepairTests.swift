import ATPCryptography
import ATProtoSessions
import ATProtoVault
import BskyAuthRows
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Synchronization
import Testing

/// A store that went back, for example because a backup was restored, and the machines that give it back what it has lost.
@Suite("A shared vault whose store went back", .timeLimit(.minutes(5))) struct StoreRepairTests {
    private let first: Session
    private let fleet: Fleet
    private let machine: Machine
    private let other: Machine

    init() async throws {
        first = try Sessions.session("first")
        fleet = try await Fleet(first)
        // No request of these tests is on its way for long.
        machine = try await fleet.machine(SharedStore.Limits(answer: .zero))
        other = try await fleet.machine()
        // The machine that shared the vault is gone.
        let accounts = try #require(machine.vault.sharedAccounts)
        for member in try await accounts.machines() where member.machine.name == "first" {
            _ = try await accounts.forget(member.machine.id)
        }
    }

    /// The machines that a repair waits for, without their numbers.
    private func repair(_ machine: Machine) async throws -> [String]? {
        try await #require(machine.vault.sharedAccounts).repair(waiting: .zero).map(Self.withoutNumbers)
    }

    private static func withoutNumbers(_ names: [String]) -> [String] {
        names.map { String($0.prefix { $0 != " " }) }
    }

    private static func withoutNumbers(_ error: VaultError?) -> VaultError? {
        guard case .repairing(let repair) = error else { return error }
        return .repairing(.init(needsThis: repair.needsThis, others: withoutNumbers(repair.others)))
    }

    /// Puts an earlier state of the row back.
    private func goBack(to earlier: StoredRow, isRemoved: Bool = false) async throws {
        if isRemoved {
            try await fleet.rows.delete(earlier.key, if: .always)
        } else {
            try await fleet.rows.put(earlier.key, earlier.value, if: .always)
        }
    }

    /// Why a machine refuses to refresh.
    private func refusal(_ machine: Machine, _ seen: Session) async -> VaultError? {
        let error = await #expect(throws: StoreError.self) {
            try await machine.refresh(seen, waiting: .zero)
        }
        return Self.withoutNumbers(error?.cause as? VaultError)
    }

    @Test("gets the newest session of all machines, and nobody refreshes before", arguments: [false, true])
    func newest(isRemoved: Bool) async throws {
        let earlier = try #require(try await fleet.row)
        let second = try await machine.refresh(first)
        let third = try await other.refresh(second)
        try await goBack(to: earlier, isRemoved: isRemoved)
        #expect(await refusal(machine, second) == .storeWentBack(fleet.id))
        // This machine's session is newer than the store's, and its token is spent already.
        #expect(try await repair(machine) == ["machine"])
        #expect(
            await refusal(machine, second) == .repairing(.init(needsThis: false, others: ["machine"])))
        #expect(await refusal(other, third) == .repairing(.init(needsThis: true, others: [])))
        #expect(fleet.server.requests == 2)
        #expect(try await repair(other) == [])
        #expect(try await machine.refresh(second).tokenFingerprint == third.tokenFingerprint)
        try await machine.refresh(third)
        #expect(fleet.server.grants == 3 && fleet.server.isAlive)
        #expect(try await repair(machine) == nil)
    }

    @Test("has a damaged row: it is named, and the machines give back what they have once it is deleted")
    func damaged() async throws {
        let second = try await machine.refresh(first)
        #expect(try await other.refresh(first).tokenFingerprint == second.tokenFingerprint)
        let row = try #require(try await fleet.row)
        try await fleet.rows.put(
            row.key, row.value.dropLast() + [row.value[row.value.count - 1] ^ 1], if: .always)
        #expect(await refusal(machine, second)?.damagedRow == row.key)
        try await goBack(to: row, isRemoved: true)
        #expect(try await repair(machine) == ["machine"])
        #expect(try await repair(other) == [])
        try await other.refresh(second)
        #expect(fleet.server.grants == 2 && fleet.server.isAlive)
    }

    @Test("during a refresh leaves the answer on its machine, which gives it to the store")
    func spool() async throws {
        let earlier = try #require(try await fleet.row)
        let second = try await machine.refresh(first)
        let third = try await machine.refresh(second, after: { try? await goBack(to: earlier) })
        #expect(third.refreshToken?.reveal() == fleet.server.current)
        #expect(machine.keptHere == 1)
        #expect(
            await refusal(machine, third) == .repairing(.init(needsThis: true, others: ["machine"])))
        #expect(try await repair(machine) == ["machine"])
        #expect(try await repair(other) == [])
        #expect(try await other.refresh(first).tokenFingerprint == third.tokenFingerprint)
        try await other.refresh(third)
        #expect(fleet.server.grants == 3 && fleet.server.isAlive)
    }

    /// The place at which the ephemeral machine repairs among the two durable ones; nil if it never does.
    @Test("gets the session of an ephemeral machine that notices it", arguments: [nil, 0, 1, 2])
    func ephemeral(place: Int?) async throws {
        let runner = try await fleet.machine(isDurable: false)
        let second = try await machine.refresh(first)
        #expect(try await other.refresh(first).tokenFingerprint == second.tokenFingerprint)
        let earlier = try #require(try await fleet.row)
        let third = try await runner.refresh(second)
        try await goBack(to: earlier)
        #expect(await refusal(runner, third) == .storeWentBack(fleet.id))
        #expect(
            await refusal(runner, third)
                == .repairing(.init(needsThis: false, others: ["machine", "machine"])))
        for step in 0...2 {
            if step == place { _ = try await repair(runner) }
            if step == 0 { #expect(try await repair(machine) == ["machine"]) }
            if step == 1 { #expect(try await repair(other) == []) }
        }
        #expect(try await machine.refresh(second).tokenFingerprint == third.tokenFingerprint)
        try await machine.refresh(third)
        #expect(fleet.server.grants == 3 && fleet.server.isAlive)
    }

    @Test("gets the session of an ephemeral machine that looks while others repair") func lateEphemeral()
        async throws
    {
        let runner = try await fleet.machine(isDurable: false)
        let earlier = try #require(try await fleet.row)
        let second = try await machine.refresh(first)
        let third = try await runner.refresh(second)
        try await goBack(to: earlier)
        #expect(try await repair(machine) == ["machine"])
        #expect(
            await refusal(runner, third) == .repairing(.init(needsThis: false, others: ["machine"])))
        #expect(try await repair(other) == [])
        #expect(try await machine.refresh(second).tokenFingerprint == third.tokenFingerprint)
        try await machine.refresh(third)
        #expect(fleet.server.grants == 3 && fleet.server.isAlive)
    }

    @Test("during a refresh on an ephemeral machine gets the answer at once") func ephemeralSpool()
        async throws
    {
        let runner = try await fleet.machine(isDurable: false)
        let earlier = try #require(try await fleet.row)
        let second = try await machine.refresh(first)
        let third = try await runner.refresh(second, after: { try? await goBack(to: earlier) })
        #expect(third.refreshToken?.reveal() == fleet.server.current)
        #expect(try await repair(machine) == ["machine"])
        #expect(try await repair(other) == [])
        #expect(try await other.refresh(first).tokenFingerprint == third.tokenFingerprint)
        try await other.refresh(third)
        #expect(fleet.server.grants == 3 && fleet.server.isAlive)
    }

    @Test(
        "waits for an ephemeral machine whose request may be on its way, and says so there",
        arguments: [false, true])
    func ephemeralRequest(isNoticedElsewhere: Bool) async throws {
        let runner = try await fleet.machine(isDurable: false)
        let earlier = try #require(try await fleet.row)
        let second = try await machine.refresh(first)
        // The answer is lost, and the claim can't be withdrawn.
        _ = try? await runner.refresh(second, .answerLost, after: { runner.link.cut() })
        runner.link.heal()
        try await goBack(to: earlier)
        let others = isNoticedElsewhere ? ["machine"] : ["machine", "machine"]
        if isNoticedElsewhere {
            #expect(try await repair(machine) == ["machine"])
        } else {
            #expect(await refusal(runner, second) == .storeWentBack(fleet.id))
        }
        #expect(await refusal(runner, second) == .repairing(.init(needsThis: true, others: others)))
        _ = try await repair(machine)
        #expect(try await repair(other) == ["machine"])
        #expect(
            await refusal(other, first) == .repairing(.init(needsThis: false, others: ["machine"])))
        let accounts = try #require(machine.vault.sharedAccounts)
        let member = try #require(try await accounts.machines().first { !$0.machine.isDurable })
        #expect(member.needsRepair && member.claims == [fleet.id])
        #expect(try await accounts.forget(member.machine.id) == [fleet.id])
        #expect(try await other.refresh(first, waiting: .zero).tokenFingerprint == second.tokenFingerprint)
    }

    @Test("to a claim that ended long ago waits for nobody after the repair") func claim() async throws {
        let claimed = Row()
        // While the request is on its way, the row has the claim.
        try await other.refresh(first, before: { [fleet] in claimed.value = try? await fleet.row })
        let earlier = try #require(claimed.value)
        let second = try await machine.refresh(first)
        try await goBack(to: earlier)
        #expect(try await repair(machine) == ["machine"])
        #expect(try await repair(other) == [])
        try await machine.refresh(second, waiting: .zero)
        #expect(fleet.server.grants == 2 && fleet.server.isAlive)
    }

    @Test("learns that an attempt may have spent the token") func attempt() async throws {
        let earlier = try #require(try await fleet.row)
        let second = try await machine.refresh(first)
        try await machine.refresh(second, .answerLost)
        try await goBack(to: earlier)
        #expect(try await repair(machine) == ["machine"])
        #expect(try await repair(other) == [])
        let ended = try await other.refresh(first, waiting: .zero)
        #expect(ended.state == .ok)
        let lost = try await other.refresh(ended, waiting: .zero)
        #expect(lost.state == .expired && lost.lastError == SessionEnding.lostRotationName)
    }

    @Test("learns of an attempt also from the machine that repairs last") func lateAttempt() async throws {
        let earlier = try #require(try await fleet.row)
        let second = try await machine.refresh(first)
        #expect(try await other.refresh(first).tokenFingerprint == second.tokenFingerprint)
        try await machine.refresh(second, .answerLost)
        try await goBack(to: earlier)
        #expect(try await repair(other) == ["machine"])
        #expect(try await repair(machine) == [])
        let lost = try await other.refresh(second, waiting: .zero)
        #expect(lost.state == .expired && lost.lastError == SessionEnding.lostRotationName)
    }

    @Test("waits for a machine that has no copy yet, and that machine takes one") func withoutCopy()
        async throws
    {
        let earlier = try #require(try await fleet.row)
        let second = try await machine.refresh(first)
        try other.vault.remove(
            fleet.id, names: [], under: try await other.vault.lock(fleet.id, timeout: .zero))
        try await goBack(to: earlier)
        #expect(try await repair(machine) == ["machine"])
        #expect(try await repair(other) == [])
        #expect(try await other.refresh(first, waiting: .zero).tokenFingerprint == second.tokenFingerprint)
        try await machine.refresh(second, waiting: .zero)
        #expect(fleet.server.grants == 2 && fleet.server.isAlive)
    }

    @Test("without anything left is not filled by a machine that joined") func lost() async throws {
        for row in try await fleet.rows.list("", after: nil, limit: 100) {
            try await fleet.rows.delete(row.key, if: .always)
        }
        await #expect(throws: VaultError.sharingRefused(.storeLost)) { _ = try await repair(machine) }
        await #expect(throws: VaultError.sharingRefused(.isShared(store: Fleet.store))) {
            let link = machine.link
            _ = try await machine.vault.share(
                through: Fleet.store, password: nil, as: SharedMachine(name: "machine", isDurable: true),
                with: StoreOpener { _, _ in link })
        }
        #expect(await refusal(machine, first) == .sharingRefused(.storeLost))
        #expect(try await fleet.rows.list("", after: nil, limit: 100).isEmpty)
    }

    @Test("goes on without a machine that is forgotten") func forgotten() async throws {
        let earlier = try #require(try await fleet.row)
        let second = try await machine.refresh(first)
        try await goBack(to: earlier)
        #expect(try await repair(machine) == ["machine"])
        let accounts = try #require(machine.vault.sharedAccounts)
        let waiting = try await accounts.machines().filter { !$0.claims.isEmpty }
        #expect(waiting.count == 1 && waiting.first?.isThis == false)
        let gone = try #require(waiting.first?.machine.id)
        #expect(try await accounts.forget(gone) == [fleet.id])
        try await machine.refresh(second, waiting: .zero)
        #expect(fleet.server.grants == 2 && fleet.server.isAlive)
    }

    @Test("keeps a logout, and is not unshared meanwhile") func logout() async throws {
        let earlier = try #require(try await fleet.row)
        try await machine.refresh(first)
        try await goBack(to: earlier)
        #expect(try await repair(machine) == ["machine"])
        let refused = await #expect(throws: VaultError.self) { try await machine.vault.unshare() }
        #expect(
            Self.withoutNumbers(refused) == .repairing(.init(needsThis: false, others: ["machine"])))
        #expect(try await repair(other) == [])
        let accounts = try #require(machine.vault.sharedAccounts)
        let lock = try await machine.vault.lock(fleet.id, timeout: .zero)
        try await accounts.beginRemoval(of: fleet.id, under: lock, waiting: .zero)
        try await accounts.remove(fleet.id, under: lock)
        _ = consume lock
        #expect(try await repair(other) == nil)
        #expect(try await other.vault.sharedAccounts?.synchronize().removed == [fleet.id])
    }
}

/// A row that a callback has read.
private final class Row: Sendable {
    private let row = Mutex<StoredRow?>(nil)

    var value: StoredRow? {
        get { row.withLock { $0 } }
        set { row.withLock { $0 = newValue } }
    }
}
