import ATPJSON
import ATProtoSessions
import ATProtoVault
import Foundation
import Testing

@testable import BskyAuthCLI
@testable import BskyAuthCore

@Suite("Accounts in words") struct AccountTextTests {
    /// As a bundle or a vault may have it; no command takes it.
    private static let hostile = "w\u{1b}]0;x\u{7}\n\u{202e}k"

    @Test("a label that a terminal would obey is made harmless wherever an account is named") func hostile()
        throws
    {
        let account = try Sample.account(label: Self.hostile)
        for text in [
            AccountText.name(account), AccountText.selector(account), AccountText.loginCommand(account),
            AccountText.choices([account]), AccountText.choices([account, account]),
        ] {
            #expect(!text.isEmpty && text.escapedForTerminal == text, "\(text.debugDescription)")
        }
    }

    @Test("an account that is named wrongly is answered with names, not with options")
    func unknownName() throws {
        let known = [try Sample.account(), try Sample.account(label: "it's")]
        let failure = ErrorPresenter.failure(CoreError.unknownAccount("somebody else", known: known))
        #expect(!failure.message.contains("-a ") && failure.message.contains("(@alice.example.com"))
        let shared = [try Sample.account(label: "work"), try Sample.account(handle: "b.test", label: "work")]
        let ambiguous = ErrorPresenter.failure(CoreError.ambiguousAccount("work", candidates: shared))
        #expect(ambiguous.message.contains("\(shared[0].id.text.prefix(8)) (@alice.example.com, work)"))
        #expect(ambiguous.message.contains("\(shared[1].id.text.prefix(8)) (@b.test, work)"))
    }

    @Test("a session that ended before its time is said to end at none")
    func end() throws {
        let account = try Sample.account()
        var session = try Sample.session()
        let now = session.createdAt.addingTimeInterval(60)
        func shown(at time: Date) -> (cells: [String], json: JSONValue?) {
            let listing = AccountListing(now: time)
            let entry = VaultAccounts.Entry.account(account, session)
            return (
                listing.row(entry).shown.map(\.text), listing.object(entry).shown.object?["session_ends_at"]
            )
        }
        #expect(shown(at: now).cells.contains("in 14 days"))
        #expect(shown(at: now).json == .string(TimeText.rfc3339(session.endsAt)))
        let over = session.endsAt.addingTimeInterval(86400)
        #expect(shown(at: over).cells.contains("24 h ago") && shown(at: over).json != .null)
        for state in [SessionState.expired, .quarantined] {
            session.state = state
            #expect(Array(shown(at: now).cells[3...4]) == ["expired", "-"])
            #expect(shown(at: now).json == .null)
        }
    }

    @Test("a session that lasts for years is not shown as its end without use")
    func long() throws {
        let account = try Sample.account()
        let now = Date(timeIntervalSince1970: 1_795_212_231 + 60)
        let client = try Sample.session(client: "https://c.example.com/m.json", isConfidential: true)
        #expect(AccountText.endWords(account, client, now: now) == "in 2 years")
        let unused = now.addingTimeInterval(88 * 86400)
        #expect(AccountText.endWords(account, client, now: unused) == "in 2 days if unused")
        #expect(
            AccountText.endWords(account, try Sample.passwordSession(), now: now) == "in 90 days if unused")
        #expect(AccountText.endWords(account, try Sample.session(), now: now) == "in 14 days")
    }

    @Test("what is left of a session goes by what it is, where that is known")
    func rest() throws {
        let account = try Sample.account()
        var session = try Sample.session()
        let now = session.createdAt.addingTimeInterval(60)
        let password = Session(
            credential: .password(service: account.pds), createdAt: session.createdAt,
            accessToken: session.accessToken, refreshToken: session.refreshToken,
            accessExpiresAt: session.accessExpiresAt, obtainedAt: session.obtainedAt, scope: session.scope)
        #expect(AccountText.rest(account, session, now: now) == "ends in 14 days")
        #expect(AccountText.rest(account, password, now: now) == "ends in 90 days")
        let over = session.endsAt.addingTimeInterval(3 * 86400)
        #expect(AccountText.rest(account, session, now: over) == "ended 3 days ago")
        session.state = .quarantined
        #expect(AccountText.rest(account, session, now: now) == "ends by itself")
        #expect(AccountText.rest(account, nil, now: now) == "ends by itself")
    }
}
