import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Parallel calls")
    struct ParallelCallTests {
        @Test(
            "twenty processes with an ended token all succeed, and one of them refreshes",
            .covers("R63", "12.2", "12.9", "13.4", "B13", "H4", "H9"))
        func oneRefresh() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await sandbox.setFaults(Faults.tokenEndsAtOnce)
            let alice = try await home.logIn("alice.test")
            try await sandbox.resetJournal()

            let calls = try (0..<20).map { _ in
                try home.start("call", "--lock-timeout", "60s", "com.atproto.server.getSession")
            }
            for call in calls {
                let result = try await call.result()
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.json?["did"] as? String == alice.did)
            }
            let requests = try await sandbox.requests()
            #expect(requests.filter { $0.isRefresh && $0.consumed }.count == 1)
            #expect(!requests.contains { $0.isRefresh && !$0.consumed && !$0.isNonceChallenge })
            #expect(!requests.contains { $0.sessionEnded })
            #expect(requests.filter { $0.role == "pds" && $0.status == 200 }.count == 20)
        }

        @Test("fifty processes at a failing server send one refresh per waiting time, and all succeed")
        func failingServer() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await sandbox.setFaults(Faults.tokenEndsAtOnce)
            try await home.logIn("alice.test")
            let busy = #"{"respond":{"status":503,"headers":{"retry-after":"2"},"body":{}}}"#
            try await sandbox.setFaults(
                #"[{"match":{"path":"/oauth/token"},"times":3,"action":\#(busy)}]"#)
            try await sandbox.resetJournal()

            let calls = try (0..<50).map { _ in
                try home.start(
                    "call", "--lock-timeout", "60s", "--retry", "9", "--max-wait", "60s",
                    "com.atproto.server.getSession")
            }
            for call in calls {
                let result = try await call.result()
                #expect(result.status == 0, "\(result.errors)")
            }
            let requests = try await sandbox.requests()
            let refreshes = requests.filter { $0.path == "/oauth/token" && !$0.isNonceChallenge }
            #expect(refreshes.map(\.status) == [503, 503, 503, 200])
            #expect(!requests.contains { $0.sessionEnded })
        }

        @Test(
            "calls of five accounts at once never meet another account's key",
            .covers("R55", "F5", "F17", "G8"))
        func fiveAccounts() async throws {
            let handles = (1...5).map { "user\($0).test" }
            let sandbox = try Sandbox(accounts: handles)
            let home = try Home(sandbox)
            try await sandbox.setFaults(Faults.tokenEndsAtOnce)
            var keys: [String: String] = [:]
            for handle in handles {
                let account = try await home.logIn(handle)
                keys[account.did] = account.jkt
            }
            #expect(Set(keys.values).count == handles.count)
            try await sandbox.resetJournal()

            let calls = try (0..<20).map { number in
                let handle = handles[number % handles.count]
                return (
                    handle,
                    try home.start(
                        "call", "-a", handle, "--lock-timeout", "60s", "com.atproto.server.getSession")
                )
            }
            for (handle, call) in calls {
                let result = try await call.result()
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.json?["handle"] as? String == handle)
            }
            let requests = try await sandbox.requests()
            for request in requests {
                guard let account = request.account, let jkt = request.jkt else { continue }
                #expect(keys[account] == jkt)
            }
            for (_, jkt) in keys {
                #expect(requests.filter { $0.jkt == jkt && $0.isRefresh && $0.consumed }.count == 1)
                #expect(requests.filter { $0.jkt == jkt && $0.role == "pds" && $0.status == 200 }.count == 4)
            }
            #expect(requests.filter { $0.role == "pds" }.allSatisfy { $0.athOk == true })
        }

        /// A libcurl whose `curl_multi_perform` takes the wake-ups that have come, as that of version 8.21.0 does, and takes long.
        /// A wait without a wake-up has no end.
        private static let libcurl = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <limits.h>
            #include <stddef.h>
            #include <unistd.h>
            int curl_multi_poll(void *multi, void *others, unsigned count, int time, int *number) {
                int (*poll)(void *, void *, unsigned, int, int *) = dlsym(RTLD_NEXT, "curl_multi_poll");
                return poll(multi, others, count, time > 0 ? INT_MAX : 0, number);
            }
            int curl_multi_perform(void *multi, int *running) {
                int (*perform)(void *, int *) = dlsym(RTLD_NEXT, "curl_multi_perform");
                usleep(50000);
                curl_multi_poll(multi, NULL, 0, 0, NULL);
                return perform(multi, running);
            }
            """

        @Test("no request is forgotten with a libcurl that loses wake-ups") func lostWakeUps() async throws {
            let names = (1...6).map { "user\($0).test" }
            let sandbox = try Sandbox(names.flatMap { ["--account", $0] })
            let home = try Home(sandbox)
            for name in names { try await home.logIn(name) }
            let library = home.directory.appending(path: "libcurl.so")
            try await Program.compile(Self.libcurl, to: library)
            let refresh = try await home.run(
                "refresh", "--all", "--force", "--jobs", "2",
                environment: ["LD_PRELOAD": library.path, "BSKYAUTH_NO_KEEPER": "1"])
            #expect(refresh.status == 0, "\(refresh.errors)")
        }
    }
}
