import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation

/// Machines with one vault: each a user's home of its own, with the same sandbox, the same store and the same key file.
final class Fleet: Sendable {
    let store: FleetStore
    let sandbox: Sandbox
    /// The machine that has shared the vault.
    let first: Home
    let url: String

    /// A vault of some accounts that one machine has shared.
    ///
    /// - Parameters:
    ///   - store: an empty one. Nil: one of its own.
    ///   - url: that of the store, if it is not the usual one.
    ///   - hasForms: whether the browser fills in the forms of the server. Otherwise the server approves at once, which is faster.
    ///   - hasEndedTokens: whether the machines are told that the access tokens of the logins have ended.
    init(
        accounts: [String] = ["alice.test"], store: FleetStore? = nil, url: String? = nil,
        hasEndedTokens: Bool = false, hasForms: Bool = false, sandbox options: [String] = []
    ) async throws {
        if let store { self.store = store } else { self.store = try await FleetStore.ready() }
        self.url = url ?? self.store.url("bots")
        sandbox = try Sandbox(accounts: accounts, (hasForms ? [] : ["--auto-approve"]) + options)
        settings = hasForms ? Self.withoutKeeper : Self.settings
        first = try Home(sandbox, settings)
        if hasEndedTokens {
            try await sandbox.setFaults(
                #"[{"match":{"path":"/oauth/token"},"action":{"amend":{"set":{"/expires_in":0}}}}]"#)
        }
        for account in accounts { try await first.logIn(account) }
        try await sandbox.setFaults("[]")
        try await first.succeed("vault", "share", "--to", self.url, "--machine-name", "first")
        try await sandbox.resetJournal()
    }

    /// A keeper goes on where a command was killed. Most tests are about machines that have none.
    private static let withoutKeeper = ["BSKYAUTH_NO_KEEPER": "1"]
    /// The browser follows redirects only.
    static let settings = withoutKeeper.merging(["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"]) { $1 }
    private let settings: [String: String]

    /// A home with the key file of the vault, which has not joined it.
    func stranger() throws -> Home {
        let key = first.environment["BSKYAUTH_KEY_FILE"] ?? ""
        return try Home(sandbox, key: ["BSKYAUTH_KEY_FILE": key], settings)
    }

    /// Another machine, which joins.
    func machine(_ name: String, ephemeral: Bool = false) async throws -> Home {
        let home = try stranger()
        let durability = ephemeral ? "--ephemeral" : "--durable"
        try await home.succeed("vault", "join", url, durability, "--machine-name", name)
        return home
    }

    /// The refreshes that the server has granted since the last reset of the journal.
    func grants() async throws -> [JournalRequest] {
        try await sandbox.requests().filter { $0.isRefresh && $0.consumed }
    }

    /// Whether the server has ended a session since then.
    func hasEndedSession() async throws -> Bool {
        try await sandbox.requests().contains(where: \.sessionEnded)
    }
}

/// A call that needs the session.
let call = ["call", "com.atproto.server.getSession", "-a", "alice.test"]

extension Program.Result {
    /// What a test of a refusal looks at.
    var refusal: Refusal? { errorLine.map { Refusal(status: status, code: $0.code) } }
}

/// The exit status and the code of an error.
struct Refusal: Equatable {
    let status: Int32
    let code: String
}
