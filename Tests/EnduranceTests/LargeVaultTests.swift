import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// What one command costs in a vault of ten thousand accounts, counted in system calls.
@Suite(
    "A large vault", .serialized, .fewAtOnce,
    .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"))
struct LargeVaultTests {
    private static let count = testsAll ? 10_000 : 400

    /// The vault, in memory where that is possible: seeding syncs each of its files.
    private let vault: URL
    private let home: Home

    init() throws {
        let memory = URL(filePath: "/dev/shm")
        let base =
            FileManager.default.isWritableFile(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
        vault = base.appending(path: "bskyauth-test-\(UUID().uuidString)")
        home = try Home(
            try Sandbox(accounts: ["alice.test", "bob.test", "carol.test"], ["--auto-approve"]), key: nil,
            ["BSKYAUTH_HOME": vault.path, "BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
    }

    private func seed() async throws {
        let key = try #require(home.environment["BSKYAUTH_KEY_FILE"])
        let seeded = try await Program.run(
            Paths.seeder, [vault.path, key, home.sandbox.address, "\(Self.count)"],
            environment: home.environment)
        try #require(seeded.status == 0, "\(seeded.errors)")
    }

    private func succeed(_ command: [String]) async throws {
        let result = try await home.run(command)
        try #require(result.status == 0, "\(command): \(result.errors)")
    }

    @Test(
        "a call, a switch, a look-up, a refresh and a login do as much as with two accounts",
        .covers("G7", "H9"))
    func constantWork() async throws {
        defer { try? FileManager.default.removeItem(at: vault) }
        let commands = [
            ["call", "-a", "alice.test", "com.atproto.server.getSession"],
            ["call", "com.atproto.server.getSession"],
            ["accounts", "show", "bob.test"],
            ["switch", "bob.test"], ["switch", "alice.test"],
            ["refresh", "--force", "alice.test"],
            // Again to a slot that is taken, then to a new one.
            ["login", "bob.test"], ["login", "carol.test"], ["logout", "carol.test"],
        ]
        for handle in ["alice.test", "bob.test", "carol.test"] { try await home.logIn(handle) }
        try await home.succeed("logout", "carol.test")
        // The nonces and the names are known from here on.
        for command in commands { try await succeed(command) }
        func measure() async throws -> [[String: Int]] {
            var counts: [[String: Int]] = []
            for command in commands {
                counts.append(
                    try await SystemCalls.counts(
                        of: command, in: home, names: SystemCalls.ofFiles, naming: vault.path))
            }
            return counts
        }
        let before = try await measure()
        try await seed()
        let after = try await measure()
        for (command, (few, many)) in zip(commands, zip(before, after)) {
            #expect(few["openat", default: 0] > 2, "\(command)")
            #expect(few == many, "\(command)")
        }
        try await home.sandbox.resetJournal()
        try await succeed(commands[0])
        #expect(try await home.sandbox.requests().count == 1)
    }

    @Test("the listing opens each file once, and no account twice", .covers("G7"))
    func listing() async throws {
        defer { try? FileManager.default.removeItem(at: vault) }
        let alice = try await home.logIn("alice.test")
        let names = ["openat", "pread64"]
        func measure() async throws -> [String: Int] {
            try await SystemCalls.counts(
                of: ["accounts", "--json"], in: home, names: names, naming: vault.path)
        }
        let few = try await measure()
        try await seed()
        let many = try await measure()
        for name in names {
            // Both parts of an account, and the second copy of its session, which may be ahead.
            let each = Double(many[name, default: 0] - few[name, default: 0]) / Double(Self.count)
            #expect((3..<3.2).contains(each), "\(name): \(each)")
        }
        let accounts = try await home.accounts()
        #expect(accounts.count == Self.count + 1)
        #expect(Set(accounts.map(\.id)).count == accounts.count)
        #expect(accounts.contains { $0.id == alice.id })
        try await home.succeed("vault", "verify", "-q")
    }
}
