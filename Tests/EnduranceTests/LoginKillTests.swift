import ATProtoIdentity
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// `kill -9` at each write of a login to an account that is there already.
@Suite(
    "A killed login", .serialized, .fewAtOnce,
    .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"))
struct LoginKillTests {
    private let sandbox: Sandbox
    private let home: Home

    init() throws {
        sandbox = try Sandbox(["--auto-approve"])
        home = try Home(sandbox, ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
    }

    /// The programs that log in.
    enum Front: String, CaseIterable, Sendable {
        case commandLine = "the command line"
        case library = "the library"
    }

    private static let writes = ["pwrite64", "fsync", "renameat", "unlinkat", "mkdirat"]

    @Test(
        "leaves the account with the earlier session, or with the new one and what belongs to it",
        .covers("G4"), arguments: Front.allCases)
    func keepsWhole(_ front: Front) async throws {
        let alice = try await home.logIn("alice.test")
        let id = try #require(UUID(uuidString: alice.id))
        let key = try #require(home.environment["BSKYAUTH_KEY_FILE"])
        let program = front == .library ? Paths.library : Paths.program
        let login =
            front == .library
            ? [sandbox.address, home.vault.path, key, "login", "alice.test"] : ["login", "alice.test"]
        let vault = try await FileVault.open(at: home.vault.path, key: .keyFile(key))
        let counts = try await SystemCalls.counts(
            of: login, by: program, in: home, names: Self.writes)
        for name in ["pwrite64", "fsync", "renameat"] {
            #expect(counts[name, default: 0] > 0, "\(name) of \(counts)")
        }
        var (kills, halves) = (0, 0)
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            for number in stride(from: 1, through: count, by: testsAll ? 1 : 3) {
                // What the account was before the login: another handle, as before a change of the name.
                var earlier = try await vault.account(id)
                earlier.handle = Handle("earlier.test")
                try await vault.update(earlier)
                let before = try await vault.session(id)
                let result = try await SystemCalls.run(
                    login, by: program, in: home,
                    injecting: "\(name):signal=KILL:when=\(number)")
                if result.wasSignalled { kills += 1 }
                let after = try await FileVault.open(at: home.vault.path, key: .keyFile(key))
                let isNew = try await after.session(id).tokenFingerprint != before.tokenFingerprint
                let handle = try await after.account(id).handle
                // New tokens never go to the server that the account had before.
                #expect(!isNew || handle == Handle("alice.test"), "\(name) \(number)")
                if !isNew, handle == Handle("alice.test") { halves += 1 }
                try await home.succeed("vault", "restore")
                try await home.succeed("vault", "verify")
            }
        }
        #expect(kills > 0)
        print("\(front.rawValue): \(kills) kills in a login; after \(halves) only the account was new")
        try await home.succeed("login", "alice.test")
        try await home.succeed("call", "com.atproto.server.getSession")
        #expect(try await vault.accounts().count == 1)
    }
}
