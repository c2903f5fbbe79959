import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// Jobs whose vault does not stay: each begins with what the one before left in a secret store.
    @Suite("Jobs that keep their session in a secret store")
    struct HandoverTests {
        private let sandbox: Sandbox
        private let store: URL
        private let secret: String
        private let desk: Home

        init() throws {
            sandbox = try Sandbox()
            desk = try Home(sandbox)
            store = desk.directory.appending(path: "store")
            secret = try desk.recipientKey()
        }

        /// A job on a machine of its own.
        private func job(_ script: String? = nil) throws -> Home {
            let script = script ?? "cat > '\(store.path)'"
            return try Home(
                sandbox, key: ["BSKYAUTH_KEY_FILE": secret],
                [
                    "CI": "true", "BSKYAUTH_RECIPIENT_KEY": secret,
                    "BSKYAUTH_AFTER_ROTATION": "sh -c \"\(script)\"",
                ])
        }

        private func start() async throws -> Account {
            let alice = try await desk.logIn("alice.test")
            try await desk.succeed(
                "accounts", "export", "alice.test", "--to", store.path, "--recipient-key", secret)
            return alice
        }

        private func take(_ home: Home) async throws {
            try await home.succeed("accounts", "import", "-", input: try Data(contentsOf: store))
        }

        @Test("three jobs in a row refresh one session, no token is sent twice, and generations never shrink")
        func jobs() async throws {
            let alice = try await start()
            let generations = desk.directory.appending(path: "generations").path
            for _ in 1...3 {
                let job = try job("cat > '\(store.path)'; echo $BSKYAUTH_BUNDLE_GENERATION >> \(generations)")
                try await take(job)
                try await job.succeed("refresh", "--all", "--force")
                let call = try await job.succeed("call", "com.atproto.server.getSession")
                #expect(call.json?["did"] as? String == alice.did)
            }
            let refreshes = try await sandbox.requests().filter { $0.isRefresh && !$0.isNonceChallenge }
            #expect(refreshes.count == 3 && refreshes.allSatisfy { $0.consumed && $0.status == 200 })
            #expect(Set(refreshes.map(\.jkt)) == [alice.jkt])
            let text = try String(contentsOfFile: generations, encoding: .utf8)
            #expect(text.split(separator: "\n") == ["1", "2", "2", "3", "3", "4"])
        }

        @Test("a call that has to refresh hands the session over before it is made")
        func call() async throws {
            let sandbox = try Sandbox(["--access-token-ttl", "10m"])
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            try await sandbox.advanceClock("11m")
            let key = try home.recipientKey()
            let call = try await home.succeed(
                "call", "com.atproto.server.getSession", "--after-rotation",
                "sh -c \"cat > '\(store.path)'\"", "--recipient-key", key)
            #expect(call.json?["handle"] as? String == "alice.test")
            let there = try Home(sandbox)
            try await there.succeed("accounts", "import", store.path, "--recipient-key", key)
            try await there.succeed("refresh", "--force")
        }

        @Test("a store that is not to be had keeps the token from being spent, and says so")
        func notReady() async throws {
            _ = try await start()
            let job = try job("exit 3")
            try await take(job)
            try await sandbox.resetJournal()
            let before = try job.vaultContent()
            let refresh = try await job.run("refresh", "--force")
            #expect(refresh.status == 1)
            #expect(refresh.errors.contains("exit status 3"))
            #expect(refresh.errors.contains("no token was used"))
            #expect(refresh.errors.contains("run the same command again"))
            #expect(try job.vaultContent() == before)
            #expect(try await sandbox.requests().filter(\.isRefresh).isEmpty)
        }

        @Test("a store that fails after the refresh is a failure of its own, and the session is not lost")
        func failsAfter() async throws {
            _ = try await start()
            let job = try job("test $BSKYAUTH_BUNDLE_MOMENT = before")
            try await take(job)
            let refresh = try await job.run("refresh", "--force", "--json")
            // A job that went on would end well, and its vault would be gone.
            let call = try await job.run("call", "com.atproto.server.getSession", "--json")
            for result in [refresh, call] {
                #expect(result.status == 1)
                #expect(result.errorLine?.code == "handover_failed")
                #expect(result.errorLine?.message.contains("saved in this vault") == true)
            }
            try await job.succeed(
                "call", "com.atproto.server.getSession", environment: ["BSKYAUTH_AFTER_ROTATION": ""])
            // The next step it names, once the store is well again.
            try await makeUp(for: job)
        }

        @Test("TERM during that hand-over is obeyed once its failure is told")
        func failsTerminated() async throws {
            _ = try await start()
            // The signal has been taken note of when the kernel has it no more.
            let job = try job(
                "test $BSKYAUTH_BUNDLE_MOMENT = before && exit; kill -TERM $PPID; "
                    + "while grep -q '^S.*Pnd:.*[1-9a-f]' /proc/$PPID/status; do :; done; exit 3")
            try await take(job)
            for reader in [[], ["--json"]] {
                let refresh = try await job.run(["refresh", "--force"] + reader)
                #expect(refresh.wasSignalled && refresh.status == SIGTERM, "\(refresh.errors)")
                #expect(refresh.errors.contains("exit status 3; the copy stored elsewhere no longer works"))
                #expect((refresh.errorLine?.code == "handover_failed") == !reader.isEmpty)
            }
            try await makeUp(for: job)
        }

        @Test("a job that is killed before it could hand over does so when it is run again")
        func killed() async throws {
            _ = try await start()
            let job = try job("test $BSKYAUTH_BUNDLE_MOMENT = before || kill -9 $PPID")
            try await take(job)
            let refresh = try await job.run("refresh", "--force")
            #expect(refresh.wasSignalled && refresh.status == SIGKILL)
            try await makeUp(for: job)
        }

        @Test("what a command without the variable has refreshed, the next one with it hands over")
        func forgotten() async throws {
            _ = try await start()
            let job = try job()
            try await take(job)
            try await job.succeed("refresh", "--force", environment: ["BSKYAUTH_AFTER_ROTATION": ""])
            let bundle = desk.directory.appending(path: "bundle").path
            let export = try await job.succeed("accounts", "export", "alice.test", "--to", bundle, "--copy")
            #expect(export.errors.contains("earlier bundles of @alice.test no longer work"))
            try await makeUp(for: job)
        }

        @Test("a move says that the store has the same session, and a copy does not need to")
        func movedFromTheStore() async throws {
            _ = try await start()
            let job = try job()
            try await take(job)
            try await job.succeed("refresh", "--force")
            let bundle = desk.directory.appending(path: "bundle").path
            let export = ["accounts", "export", "alice.test", "--to", bundle]
            let copy = try await job.run(export + ["--copy"])
            #expect(!copy.errors.contains("another bundle"))
            try FileManager.default.removeItem(atPath: bundle)
            let move = try await job.run(export)
            #expect(move.errors.contains("another bundle has this session of @alice.test"))
        }

        /// The next command gives the store what it lacks, spends nothing for it, and says so, once.
        private func makeUp(for job: Home) async throws {
            let well = ["BSKYAUTH_AFTER_ROTATION": "sh -c \"cat > '\(store.path)'\""]
            try await sandbox.resetJournal()
            let refresh = try await job.succeed("refresh", "alice.test", environment: well)
            #expect(refresh.errors.contains("handed over: the store had an earlier session"))
            #expect(refresh.errors.contains("fresh: @alice.test"))
            #expect(try await sandbox.requests().isEmpty)
            let again = try await job.succeed("refresh", "alice.test", environment: well)
            #expect(!again.errors.contains("handed over"))
            // The vault of the job is gone, and the store is what there is.
            let next = try self.job()
            try await take(next)
            try await next.succeed("refresh", "--force")
        }

        @Test(
            "the command gets the bundle and which it is, and no secret in arguments or environment",
            .covers("B21"))
        func environment() async throws {
            let alice = try await start()
            let dump = desk.directory.appending(path: "dump").path
            let job = try job(
                "env >> \(dump); tr '\\0' ' ' < /proc/self/cmdline >> \(dump); cat > /dev/null")
            try await take(job)
            try await job.succeed(
                "refresh", "--force", "--key-file", secret,
                environment: ["BSKYAUTH_PASSPHRASE": "swordfish"])
            let text = try String(contentsOfFile: dump, encoding: .utf8)
            for said in [
                "BSKYAUTH_BUNDLE_ACCOUNT=\(alice.id)", "BSKYAUTH_BUNDLE_MOMENT=before",
                "BSKYAUTH_BUNDLE_MOMENT=after", "BSKYAUTH_BUNDLE_GENERATION=1",
                "BSKYAUTH_BUNDLE_GENERATION=2",
            ] {
                #expect(text.contains(said), "\(text)")
            }
            for secret in ["swordfish", "eyJ", "ref-", "tok-", alice.jkt, "BSKYAUTH_AFTER_ROTATION"] {
                #expect(!text.contains(secret), "\(text)")
            }
        }
    }
}
