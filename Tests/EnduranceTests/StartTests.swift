import EndToEndSupport
import Foundation
import TestPrograms
import Testing

/// What the program loads and starts before it does its work, counted in system calls.
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

    private func filesOpened(_ command: [String], naming text: String) async throws -> Int {
        try await SystemCalls.counts(of: command, in: home, names: ["openat"], naming: text)["openat"] ?? 0
    }

    @Test(
        "loads no libcurl and starts no thread for what asks no server",
        arguments: [
            ["--version"], ["accounts"], ["accounts", "current"], ["switch", "-"], ["token", "--help"],
        ])
    func offline(command: [String]) async throws {
        #expect(try await filesOpened(command, naming: "libcurl") == 0)
        #expect(try await filesOpened(command, naming: "libc.so") > 0, "the count counts")
        #expect(try await SystemCalls.counts(of: command, in: home, names: ["clone", "clone3"]).isEmpty)
    }

    @Test("loads libcurl for a call, and starts one thread") func call() async throws {
        let call = ["call", "com.atproto.server.getSession"]
        #expect(try await filesOpened(call, naming: "libcurl") > 0)
        let threads = try await SystemCalls.counts(of: call, in: home, names: ["clone", "clone3"])
        #expect(threads.values.reduce(0, +) == 1)
    }

    @Test("says what to install where there is no libcurl") func missing() async throws {
        let libraries = try home.folder("libraries")
        try Data("no library".utf8).write(to: libraries.appending(path: "libcurl.so.4"))
        let result = try await home.run(
            "call", "com.atproto.server.getSession", environment: ["LD_LIBRARY_PATH": libraries.path])
        #expect(result.status == 1 && result.output.isEmpty)
        let lines = result.errors.split(separator: "\n").filter { !$0.hasPrefix("dev network") }
        #expect(lines.count == 2 && lines[0].hasPrefix("bskyauth: libcurl can't be used: "), "\(lines)")
        #expect(lines.last == "  sudo apt install libcurl4, or what your system calls it")
        #expect(try await home.run("accounts", environment: ["LD_LIBRARY_PATH": libraries.path]).status == 0)
    }
}
