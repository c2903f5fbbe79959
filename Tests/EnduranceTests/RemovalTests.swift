import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// After a logout or an export, what the command says, what the vault has and what the server has agree.
@Suite("Removing an account", .serialized, .fewAtOnce)
struct RemovalTests {
    @Suite(
        "in a lower layer of overlayfs, where its directory can't be renamed", .serialized,
        .enabled(if: Layers.arePossible, "only root mounts, and the kernel has to know overlayfs"))
    struct OverlayTests {
        @Test("logout removes it", arguments: [[], ["--local-only"], ["--strict"]])
        func logout(options: [String]) async throws {
            try await Layers.run { removal in
                let result = try await removal.home.run(["logout", "alice.test"] + options)
                #expect(result.status == 0, "\(result.errors)")
                try await removal.verify(result, of: options == ["--local-only"] ? .local : .logout)
                #expect(try await removal.home.accounts().isEmpty)
            }
        }

        @Test("export moves it, and the bundle has the only session") func export() async throws {
            try await Layers.run { removal in
                let result = try await removal.home.run(removal.export)
                #expect(result.status == 0, "\(result.errors)")
                try await removal.verify(result, of: .export)
                #expect(try await removal.home.accounts().isEmpty)
                try await removal.verifyBundle()
            }
        }

        @Test("an account that can't be opened is removed by its UUID") func unreadable() async throws {
            try await Layers.run { removal in
                let id = try #require(try await removal.home.accounts().first).id
                let profile = removal.home.vault.appending(path: "accounts/\(id)/profile")
                try Data("damaged".utf8).write(to: profile)
                let result = try await removal.home.run("logout", id, "--local-only")
                #expect(result.status == 0, "\(result.errors)")
                #expect(try await removal.home.accounts().isEmpty)
                #expect(try await removal.home.run("vault", "verify").status == 0)
            }
        }

        @Test("a full disk is said before the session ends") func fullDisk() async throws {
            try await Layers.run { removal in
                let disk = Disk(mountPoint: removal.home.vault)
                try disk.fill()
                for command in [["logout", "alice.test"], removal.export] {
                    let result = try await removal.home.run(command)
                    #expect(result.status == 1, "\(result.errors)")
                    #expect(try await removal.home.accounts().map(\.state) == ["ok"])
                    #expect(try await removal.liveSessions() == 1)
                    #expect(!FileManager.default.fileExists(atPath: removal.bundle))
                }
                try disk.empty()
                #expect(try await removal.home.run("logout", "alice.test").status == 0)
                #expect(try await removal.liveSessions() == 0)
            }
        }
    }

    /// What changes names, and what opens files, with an error that each may give.
    private static let names = [
        ("rename", "EXDEV"), ("renameat", "EXDEV"), ("renameat2", "EIO"), ("unlink", "EIO"),
        ("unlinkat", "EIO"), ("rmdir", "EIO"), ("mkdir", "EIO"), ("mkdirat", "EIO"),
    ]
    private static let files = [
        ("openat", "EIO"), ("fsync", "EIO"), ("pwrite64", "ENOSPC"), ("flock", "EIO"),
    ]

    @Test(
        "one call that fails leaves no account that seems to work without its session, and no bundle that is not named",
        .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"),
        arguments: [Removal.Kind.logout, .local, .export])
    func oneFailure(kind: Removal.Kind) async throws {
        let removal = try await Removal()
        try await fail(Self.names + (testsLong ? Self.files : []), kind, removal)
    }

    @Test(
        "nor does another one, where the directory can't be renamed",
        .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"),
        arguments: [Removal.Kind.logout, .local, .export])
    func twoFailures(kind: Removal.Kind) async throws {
        let removal = try await Removal()
        let always = "rename:error=EXDEV"
        try await fail(
            (Self.names + (testsLong ? Self.files : [])).filter { $0.0 != "rename" }, kind, removal, always)
    }

    @Test(
        "nor do all calls of a kind that fail",
        .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"),
        arguments: [Removal.Kind.logout, .local, .export],
        [
            ["rename,renameat,renameat2:error=EXDEV"],
            ["rename:error=EXDEV", "unlink:error=EIO"],
            ["rename,renameat,renameat2:error=EXDEV", "unlink,unlinkat,rmdir:error=EIO"],
            ["rename:error=EXDEV", "rmdir:error=EIO"],
        ])
    func allFailures(kind: Removal.Kind, injections: [String]) async throws {
        let removal = try await Removal()
        let (result, didFail) = try await SystemCalls.failing(
            removal.command(kind), in: removal.home, injecting: injections)
        #expect(didFail)
        try await removal.verify(result, of: kind)
        try await removal.finish()
    }

    @Test(
        "the next step that is told removes what is left, and says nothing of a session that it does not know",
        .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"),
        arguments: [Removal.Kind.logout, .local, .export])
    func nextStep(kind: Removal.Kind) async throws {
        let removal = try await Removal()
        let (result, didFail) = try await SystemCalls.failing(
            removal.command(kind), in: removal.home,
            injecting: ["rename:error=EXDEV", "unlink,unlinkat,rmdir:error=EIO"])
        #expect(didFail)
        let told = try #require(
            result.errors.firstMatch(of: /bskyauth (logout [-0-9a-f]+ --local-only)/)?.output.1,
            "\(result.errors)")
        if kind == .export {
            // The bundle alone has the session, so no step may lead to its removal.
            let again = try await removal.home.run(
                ["accounts", "import", removal.bundle, "--recipient-key", removal.key])
            #expect(again.status == 64 && !again.errors.contains("rm "), "\(again.errors)")
            #expect(again.errors.contains("keep the bundle"), "\(again.errors)")
        }
        let next = try await removal.home.run(told.split(separator: " ").map(String.init))
        #expect(next.status == 0, "\(next.errors)")
        #expect(
            next.errors.contains("removed @alice.test here; its tokens had been removed before"),
            "\(next.errors)"
        )
        #expect(!next.errors.contains("was not ended"), "\(next.errors)")
        #expect(try await removal.home.accounts().isEmpty)
    }

    /// Lets each call fail once, and verifies what is left each time.
    private func fail(
        _ calls: [(name: String, error: String)], _ kind: Removal.Kind, _ removal: Removal,
        _ always: String? = nil
    ) async throws {
        var (runs, injected) = (0, 0)
        for (name, error) in calls {
            var (number, didFail) = (0, true)
            // Until a run has fewer of these calls.
            while didFail {
                number += 1
                let result: Program.Result
                (result, didFail) = try await SystemCalls.failing(
                    removal.command(kind), in: removal.home,
                    injecting: (always.map { [$0] } ?? []) + ["\(name):error=\(error):when=\(number)"])
                runs += 1
                injected += didFail ? 1 : 0
                try await removal.verify(result, of: kind, "\(name) \(number)")
                try await removal.finish()
            }
        }
        print("\(kind): \(injected) of \(runs) runs had a call that failed")
        #expect(injected > 0)
    }
}
