import ATProtoSessions
import ATProtoVault
import Foundation
import Testing

@testable import BskyAuthCore

@Suite("The account that switch means") struct ActiveAccountSwitchTests {
    private let accounts: [Account]

    init() throws { accounts = try (0..<3).map { try World.account(label: "account-\($0)") } }

    private func active(_ current: UUID?, previous: UUID? = nil) -> ActiveAccount {
        ActiveAccount(current: current, previous: previous, isExplicitlyNone: false)
    }

    @Test("is the one that was active before, for -, whether another one is active now or none")
    func previous() throws {
        let (first, second) = (accounts[0].id, accounts[1].id)
        #expect(try active(first, previous: second).accountBefore() == second)
        #expect(try active(nil, previous: second).accountBefore() == second)
    }

    @Test("is none for - if no account was active before") func noPrevious() throws {
        #expect {
            try active(accounts[0].id).accountBefore()
        } throws: { error in
            if case CoreError.noPreviousAccount = error { true } else { false }
        }
    }

    @Test("is the other one of two") func other() throws {
        let two = Array(accounts[..<2])
        #expect(try active(two[0].id).other(of: two) == two[1])
        #expect(try active(two[1].id, previous: two[1].id).other(of: two) == two[0])
    }

    @Test("is for the user to choose, unless one of two accounts is active", arguments: 1...3)
    func choice(count: Int) throws {
        let some = Array(accounts[..<count])
        #expect(try active(nil, previous: some[0].id).other(of: some) == nil)
        if count != 2 { #expect(try active(some[0].id).other(of: some) == nil) }
    }

    @Test("is none in a vault without accounts") func empty() throws {
        #expect {
            try active(nil).other(of: [])
        } throws: { error in
            if case CoreError.noAccounts = error { true } else { false }
        }
    }
}
