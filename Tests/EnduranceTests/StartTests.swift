import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// What the program starts before it does its work, counted in system calls.
@Suite(
    "The start of the program",
    .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"))
struct StartTests {
    private let home: Home

    init() async throws {
        home = try Home(try Sandbox())
        for handle in ["alice.test", "bob.test"] { try await home.logIn(handle) }
        try await home.succeed("switch", "bob.test")
    }

    private func threads(_ command: [String]) async throws -> Int {
        try await SystemCalls.counts(of: command, in: home, names: ["clone", "clone3"]).values.reduce(0, +)
    }

    @Test(
        "takes no thread for what asks no server", .covers("G5", "G7"),
        arguments: [
            ["--version"], ["accounts"], ["accounts", "current"], ["switch", "-"], ["token", "--help"],
        ])
    func offline(command: [String]) async throws {
        #expect(try await threads(command) == 0)
    }

    @Test("takes one thread for a call: libcurl's") func call() async throws {
        #expect(try await threads(["call", "com.atproto.server.getSession"]) == 1)
    }
}
