import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// An account whose refreshes come to harm, and what is left of it each time. They run in the process of the command.
///
/// It is found out two minutes later by the program's clock: a refresh that went unanswered is looked into only
/// when no answer can come any more.
actor Victim {
    /// What is left of the session.
    enum Aftermath: Hashable {
        /// It is as good as before, or better.
        case works
        /// The server had spent the token, and the answer was lost: that is said, and a login helps.
        case lost
    }

    let sandbox: Sandbox
    let home: Home
    private(set) var lost = 0

    init() async throws {
        sandbox = try Sandbox(["--auto-approve"])
        home = try Home(sandbox, ["BSKYAUTH_NO_KEEPER": "1"])
        try await logIn()
    }

    /// Lets an accident happen to a refresh, and finds out what it has done.
    @discardableResult
    func suffer(_ accident: () async throws -> Void) async throws -> Aftermath {
        try await sandbox.resetJournal()
        try await accident()
        let refresh = try await home.run(
            "refresh", "--force", "--json", "--lock-timeout", "60s", environment: Later.twoMinutes)
        let call = try await home.run("call", "com.atproto.server.getSession")
        if refresh.status == 0 {
            #expect(call.status == 0, "\(call.errors)")
            return .works
        }
        // Never without the server having taken the token: everything else loses nothing. Looked up now, since
        // it may have taken it after the program was gone.
        let requests = try await sandbox.requests()
        let hadCommitted = requests.contains { $0.isRefresh && $0.consumed }
        #expect(refresh.errorLine?.code == "lost_rotation", "\(refresh.errors)")
        #expect(refresh.status == 4)
        #expect(hadCommitted, "\(requests.map(\.line))")
        #expect(call.status == 4 && call.errors.contains("the new tokens never arrived"), "\(call.errors)")
        lost += 1
        try await logIn()
        return .lost
    }

    private func logIn() async throws {
        try await home.logIn(
            "alice.test", environment: ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
    }
}
