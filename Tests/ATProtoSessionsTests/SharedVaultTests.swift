import ATProtoSessions
import ATProtoVault
import BskyAuthRows
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

/// The protocol of docs/design/shared-vault.md, in one process. Tests/Model checks every order of its steps.
@Suite("A shared vault", .timeLimit(.minutes(5))) struct SharedVaultTests {
    private let first: Session
    private let fleet: Fleet

    init() async throws {
        first = try Sessions.session("first")
        fleet = try await Fleet(first)
    }

    @Test("on one machine is a session store") func conformance() async throws {
        let conformance = StoreConformance { session in
            let fleet = try await Fleet(session)
            return (FleetStore(fleet: fleet, machine: try await fleet.machine()), fleet.id)
        }
        #expect(try await conformance.broken() == [])
    }

    @Test("spends a token once for three machines of twenty callers each")
    func once() async throws {
        let machines = [try await fleet.machine(), try await fleet.machine(), try await fleet.machine()]
        var seen = first
        for round in 1...5 {
            let present = seen
            let sessions = await withTaskGroup(of: Session?.self) { group in
                for machine in machines {
                    for _ in 0..<20 { group.addTask { try? await machine.refresh(present) } }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(fleet.server.grants == round)
            #expect(fleet.server.requests == round)
            #expect(sessions.allSatisfy { $0?.refreshToken?.reveal() == fleet.server.current })
            seen = try #require(sessions.first ?? nil)
        }
    }

    @Test("a refresh reads and writes the store three times, and a token that serves never asks it")
    func cost() async throws {
        let machine = try await fleet.machine()
        let joined = machine.link.operations
        #expect(try await machine.session().tokenFingerprint == first.tokenFingerprint)
        #expect(machine.link.operations == joined)
        try await machine.refresh(first)
        #expect(machine.link.operations == joined + 3)
    }

    @Test(
        "a write whose answer is lost, or that is lost, is found out",
        arguments: [FaultyRows.Fault.answerLost, .requestLost], [0, 1])
    func unknownWrite(fault: FaultyRows.Fault, number: Int) async throws {
        let (machine, other) = (try await fleet.machine(), try await fleet.machine())
        machine.link.fail(fault)
        // The first write is the claim, the second one the commit.
        if number == 1 {
            try await machine.refresh(first, before: { machine.link.fail(fault) })
        } else {
            try await machine.refresh(first)
        }
        #expect(fleet.server.grants == 1)
        #expect(try await other.refresh(first).refreshToken?.reveal() == fleet.server.current)
        #expect(fleet.server.requests == 1)
    }

    @Test("an answer that can't be stored stays on a durable machine, and its next caller stores it")
    func spool() async throws {
        let (machine, other) = (try await fleet.machine(), try await fleet.machine())
        let renewed = try await machine.refresh(first, after: { machine.link.cut() })
        #expect(renewed.refreshToken?.reveal() == fleet.server.current)
        #expect(machine.keptHere == 1)
        // The other machine can't know what became of the token, and waits for the machine that does.
        let error = await #expect(throws: StoreError.self) { try await other.refresh(first, waiting: .zero) }
        #expect(error?.code == .busy)
        guard case .claimed? = error?.cause as? VaultError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fleet.server.requests == 1)
        machine.link.heal()
        #expect(try await machine.refresh(first).tokenFingerprint == renewed.tokenFingerprint)
        #expect(try await other.refresh(first).tokenFingerprint == renewed.tokenFingerprint)
        #expect(fleet.server.requests == 1 && fleet.server.isAlive)
    }

    @Test("an ephemeral machine that can't store an answer says that the session is lost")
    func ephemeralCommit() async throws {
        let machine = try await fleet.machine(isDurable: false, SharedStore.Limits(commit: .zero))
        let error = await #expect(throws: StoreError.self) {
            try await machine.refresh(first, after: { machine.link.cut() })
        }
        #expect(error?.code == .notKept)
    }

    @Test("without the store, nothing is sent") func storeAway() async throws {
        let machine = try await fleet.machine()
        machine.link.cut()
        let error = await #expect(throws: StoreError.self) { try await machine.refresh(first) }
        #expect(error?.code == .notBegun)
        #expect(fleet.server.requests == 0)
        machine.link.heal()
        try await machine.refresh(first)
        #expect(fleet.server.grants == 1)
    }

    @Test("a machine that is too late sends nothing, and its claim blocks nobody") func tooLate() async throws
    {
        let (late, other) = (
            try await fleet.machine(SharedStore.Limits(send: .zero)), try await fleet.machine()
        )
        let session = try await late.refresh(first)
        #expect(session.tokenFingerprint == first.tokenFingerprint)
        #expect(fleet.server.requests == 0)
        try await other.refresh(first, waiting: .zero)
        #expect(fleet.server.grants == 1)
    }

    @Test(
        "a claim under which nothing was sent is withdrawn by the next process of its machine",
        arguments: [FaultyRows.Fault.lastAnswerLost, .lastRequestLost])
    func unsentClaim(fault: FaultyRows.Fault) async throws {
        let (machine, other) = (try await fleet.machine(), try await fleet.machine())
        machine.link.fail(fault)
        let error = await #expect(throws: StoreError.self) { try await machine.refresh(first) }
        #expect(error?.code == .notBegun)
        #expect(fleet.server.requests == 0)
        if fault == .lastAnswerLost {
            // Another machine can't know that nothing was sent.
            await #expect(throws: StoreError.self) { try await other.refresh(first, waiting: .zero) }
        }
        machine.link.heal()
        let earlier = Witness()
        _ = try await machine.rotations.rotate(fleet.id, holding: first.tokenFingerprint, waiting: .zero) {
            permit in
            earlier.earlier = permit.earlier
            return .notSpent
        }
        #expect(earlier.earlier == nil)
        try await other.refresh(first, waiting: .zero)
        #expect(fleet.server.grants == 1)
    }

    @Test("the claim of an ephemeral machine is taken over, and the end is called a lost rotation")
    func takeover() async throws {
        let (ephemeral, other) = (
            try await fleet.machine(isDurable: false),
            try await fleet.machine(SharedStore.Limits(takeover: .zero))
        )
        try await ephemeral.refresh(first, .answerLost)
        let ended = try await other.refresh(first)
        #expect(ended.state == .expired && ended.lastError == SessionEnding.lostRotationName)
        // All machines learn it from the store, and send nothing.
        let third = try await fleet.machine()
        #expect(try await third.refresh(first).state == .expired)
        #expect(fleet.server.requests == 2)
    }

    @Test("the claim of an ephemeral machine whose request was lost is taken over, and nothing is lost")
    func takeoverOfNothing() async throws {
        let (ephemeral, other) = (
            try await fleet.machine(isDurable: false),
            try await fleet.machine(SharedStore.Limits(takeover: .zero))
        )
        try await ephemeral.refresh(first, .requestLost)
        let renewed = try await other.refresh(first)
        #expect(renewed.refreshToken?.reveal() == fleet.server.current)
        #expect(try await ephemeral.refresh(first).tokenFingerprint == renewed.tokenFingerprint)
        #expect(fleet.server.grants == 1 && fleet.server.isAlive)
    }

    @Test("a claim is not taken over before its time, and a durable machine's never") func noTakeover()
        async throws
    {
        for isDurable in [false, true] {
            let fleet = try await Fleet(first)
            let limits = SharedStore.Limits(takeover: isDurable ? .zero : .seconds(240))
            let (machine, other) = (
                try await fleet.machine(isDurable: isDurable), try await fleet.machine(limits)
            )
            try await machine.refresh(first, .requestLost)
            let error = await #expect(throws: StoreError.self) {
                try await other.refresh(first, waiting: .zero)
            }
            #expect(error?.code == .busy)
            #expect(fleet.server.requests == 1)
            // Its own machine repeats the attempt.
            try await machine.refresh(first)
            #expect(fleet.server.grants == 1)
        }
    }

    @Test(
        "the claim of a durable machine is taken over after the time that was agreed on", arguments: [0, 600])
    func agreedTakeover(seconds: Int) async throws {
        let fleet = try await Fleet(first, takeover: .seconds(seconds))
        let (machine, other) = (try await fleet.machine(), try await fleet.machine())
        try await machine.refresh(first, .requestLost)
        if seconds == 0 {
            try await other.refresh(first, waiting: .zero)
            #expect(fleet.server.grants == 1)
        } else {
            await #expect(throws: StoreError.self) { try await other.refresh(first, waiting: .zero) }
            #expect(fleet.server.requests == 1)
        }
    }

    @Test("an answer that says nothing about the token ends the claim, and the next machine knows of it")
    func inconclusive() async throws {
        let (machine, other) = (try await fleet.machine(), try await fleet.machine())
        try await machine.refresh(first, .failure)
        let seen = Witness()
        _ = try await other.rotations.rotate(fleet.id, holding: first.tokenFingerprint, waiting: .zero) {
            permit in
            seen.earlier = permit.earlier
            return .notSpent
        }
        #expect(seen.earlier?.answer?.status == 503)
        try await other.refresh(first, waiting: .zero)
        #expect(fleet.server.grants == 1)
    }

    @Test("a late answer is stored over the claim of the machine that took over", arguments: [true, false])
    func lateCommit(othersSend: Bool) async throws {
        let slow = try await fleet.machine(isDurable: false)
        let send = othersSend ? Duration.seconds(20) : .zero
        let other = try await fleet.machine(SharedStore.Limits(send: send, takeover: .zero))
        let (answered, taken) = (Gate(), Gate())
        let late = Task {
            try await slow.refresh(
                first,
                after: {
                    answered.open()
                    await taken.wait()
                })
        }
        await answered.wait()
        // It claims, and the late answer comes before it sends.
        let result = try? await other.refresh(
            first,
            before: {
                taken.open()
                _ = try? await late.value
            })
        let kept = try await late.value
        #expect(try await fleet.machine().refresh(first).refreshToken == kept.refreshToken)
        #expect(try await other.refresh(first).refreshToken == kept.refreshToken)
        // Whoever stands still for so long between its claim and its request presents a spent token. But its refusal does
        // not replace the newer session.
        #expect(fleet.server.isAlive != othersSend)
        #expect((result == nil) == othersSend)
    }

    @Test("a new name from another machine does not keep a claim alive", arguments: [true, false])
    func renamed(isSent: Bool) async throws {
        let (machine, other) = (try await fleet.machine(), try await fleet.machine())
        let rename: @Sendable () async -> Void = { [fleet] in
            let lock = try? await other.vault.lock(fleet.id, timeout: .zero)
            guard let lock else { return }
            // The account of this fleet has no readable profile, so nothing but the record's revision changes.
            _ = try? await VaultAccounts(other.vault).replace(fleet.id, under: lock) { _, _ in
                AccountChange()
            }
        }
        if isSent {
            try await machine.refresh(first, .failure, after: rename)
        } else {
            let late = try await fleet.machine(SharedStore.Limits(send: .zero))
            try await late.refresh(first, before: rename)
        }
        try await other.refresh(first, waiting: .zero)
        #expect(fleet.server.grants == 1)
    }

    @Test("a repetition that is not sent does not hide the first attempt") func repeated() async throws {
        let (machine, other) = (try await fleet.machine(), try await fleet.machine())
        try await machine.refresh(first, .answerLost)
        machine.link.fail(.lastRequestLost)
        await #expect(throws: StoreError.self) { try await machine.refresh(first) }
        machine.link.heal()
        _ = try await machine.rotations.rotate(fleet.id, holding: first.tokenFingerprint, waiting: .zero) {
            _ in .notSpent
        }
        let lost = try await other.refresh(first, waiting: .zero)
        #expect(lost.state == .expired && lost.lastError == SessionEnding.lostRotationName)
    }

    @Test("a logout does not remove what another machine has logged in to meanwhile")
    func loginDuringLogout() async throws {
        let (machine, other) = (try await fleet.machine(), try await fleet.machine())
        let accounts = try #require(machine.vault.sharedAccounts)
        let lock = try await machine.vault.lock(fleet.id, timeout: .zero)
        try await accounts.beginRemoval(of: fleet.id, under: lock, waiting: .zero)
        let second = try Sessions.session("second")
        let otherLock = try await other.vault.lock(fleet.id, timeout: .zero)
        _ = try await VaultAccounts(other.vault).replace(fleet.id, under: otherLock) { _, _ in
            AccountChange(session: second)
        }
        await #expect(throws: VaultError.overtaken) { try await accounts.remove(fleet.id, under: lock) }
        _ = consume lock
        #expect(try await machine.refresh(first).tokenFingerprint == second.tokenFingerprint)
    }

    @Test("a store that went back stops all rotations", arguments: [true, false]) func rollback(
        isRemoved: Bool
    ) async throws {
        let machine = try await fleet.machine()
        let earlier = try #require(try await fleet.row)
        let renewed = try await machine.refresh(first)
        if isRemoved {
            try await fleet.rows.delete(earlier.key, if: .always)
        } else {
            try await fleet.rows.put(earlier.key, earlier.value, if: .always)
        }
        let error = await #expect(throws: StoreError.self) { try await machine.refresh(renewed) }
        #expect(error?.cause as? VaultError == .storeWentBack(fleet.id))
        #expect(fleet.server.requests == 1)
    }

    @Test("a record with a changed byte is refused, and nothing is sent") func changedRecord() async throws {
        let machine = try await fleet.machine()
        let row = try #require(try await fleet.row)
        for index in row.value.indices {
            var bytes = row.value
            bytes[index] ^= 1
            try await fleet.rows.put(row.key, bytes, if: .always)
            await #expect(throws: StoreError.self) { try await machine.refresh(first) }
        }
        #expect(fleet.server.requests == 0)
        try await fleet.rows.put(row.key, row.value, if: .always)
        try await machine.refresh(first)
    }
}

/// The session store of one machine of a fleet of its own.
private struct FleetStore: RotationStore {
    let fleet: Fleet
    let machine: Machine

    func session(_ id: UUID) async throws(StoreError) -> Session { try await machine.rotations.session(id) }

    func rotate(
        _ id: UUID, holding: String, waiting limit: Duration,
        _ spend: @Sendable (consuming RotationPermit) async -> RotationResult
    ) async throws(StoreError) -> Session {
        try await machine.rotations.rotate(id, holding: holding, waiting: limit, spend)
    }
}
