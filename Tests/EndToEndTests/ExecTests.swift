import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// Programs that know only "service URL and password".
    @Suite("exec")
    struct ExecTests {
        private let sandbox: Sandbox
        private let home: Home

        init() throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
        }

        /// Logs in as a bot does, and sets `login` and `token`.
        private static let logIn = """
            login=$(curl -sS --json "{\\"identifier\\":\\"$BLUESKY_HANDLE\\",\\"password\\":\\"$BLUESKY_APP_PASSWORD\\"}" \
                "$BLUESKY_PDS_URL/xrpc/com.atproto.server.createSession")
            token=$(printf %s "$login" | jq -r .accessJwt)
            ask() { method=$1; shift; curl -sS -H "Authorization: Bearer $token" "$@" "$BLUESKY_PDS_URL/xrpc/$method"; }
            """

        @Test("a script with a handle and an app password logs in, writes, reads and logs out")
        func script() async throws {
            let alice = try await home.logIn("alice.test")
            try await sandbox.resetJournal()
            let script =
                Self.logIn + """

                    printf '%s\\n' "$login" | jq -c '{did,handle,active}'
                    ask com.atproto.repo.createRecord --json \
                        "{\\"repo\\":\\"$BLUESKY_HANDLE\\",\\"collection\\":\\"app.bsky.feed.post\\",\\"record\\":{\\"text\\":\\"by a bot\\"}}" >/dev/null
                    ask "com.atproto.repo.listRecords?repo=$BLUESKY_HANDLE&collection=app.bsky.feed.post" | jq -r '.records[].value.text'
                    ask com.atproto.server.getSession | jq -c 'del(.didDoc)'
                    refresh=$(printf %s "$login" | jq -r .refreshJwt)
                    again() { curl -sS -X POST -H "Authorization: Bearer $refresh" "$BLUESKY_PDS_URL/xrpc/com.atproto.server.$1"; }
                    again refreshSession | jq -r .handle
                    again refreshSession | jq -r .handle
                    again deleteSession | jq -c .
                    ask com.atproto.server.getSession | jq -r .error
                    again refreshSession | jq -r .error
                    """
            let result = try await home.succeed("exec", "--for", "env", "--", "sh", "-c", script)
            #expect(
                result.text.split(separator: "\n") == [
                    #"{"did":"\#(alice.did)","handle":"alice.test","active":true}"#, "by a bot",
                    #"{"did":"\#(alice.did)","handle":"alice.test","active":true}"#, "alice.test",
                    "alice.test", "{}",
                    "AuthenticationRequired", "AuthenticationRequired",
                ])
            // The session methods never leave this machine, and the account stays logged in.
            let calls = try await sandbox.requests().filter { $0.role == "pds" && !$0.isNonceChallenge }
            #expect(
                calls.map(\.line) == [
                    "POST /xrpc/com.atproto.repo.createRecord", "GET /xrpc/com.atproto.repo.listRecords",
                ])
            #expect(calls.first?.jkt == alice.jkt)
            try await home.succeed("call", "com.atproto.server.getSession")
        }

        @Test(
            "ends as its program does",
            arguments: [
                (["true"], 0), (["false"], 1), (["sh", "-c", "exit 42"], 42),
                (["sh", "-c", "kill -TERM $$"], 143),
                (["sh", "-c", "kill -KILL $$"], 137), (["no-such-program"], 127), (["/etc/passwd"], 126),
            ])
        func status(_ command: [String], _ status: Int) async throws {
            try await home.logIn("alice.test")
            let result = try await home.run(["exec", "--"] + command)
            #expect(Int(result.status) == status && !result.wasSignalled)
            #expect(result.errors.contains("can't be started") == [126, 127].contains(status))
            guard [126, 127].contains(status) else { return }
            let json = try await home.run(["exec", "--json", "--"] + command)
            #expect(json.errorLine?.exit == Int32(status) && json.errorLine?.hint != nil, "\(json.errors)")
        }

        @Test("without -- the error shows where it belongs")
        func separator() async throws {
            for line in [
                ["exec", "true"], ["exec", "python3", "bot.py"], ["exec", "ls", "-a"],
                ["exec", "--read-only", "sh", "-c", "true"], ["exec"], ["exec", "--"],
            ] {
                let result = try await home.run(line)
                #expect(result.status == 64 && result.errors.contains(" -- PROGRAM"), "\(result.errors)")
            }
        }

        @Test("a signal to it goes to its program, whose end it waits for", arguments: [SIGTERM, SIGHUP])
        func signals(_ signal: Int32) async throws {
            try await home.logIn("alice.test")
            let program = "trap 'echo told; exit 3' TERM HUP; echo ready; while :; do sleep 0.05; done"
            let running = try Program.Server(
                Paths.program, ["exec", "--", "sh", "-c", program], environment: home.environment)
            #expect(running.announcement == "ready")
            await running.end(by: signal)
        }

        @Test(
            "a refresh that its program has begun is finished, also if a signal comes after the program's end"
        )
        func lateSignal() async throws {
            try await sandbox.setFaults(Faults.tokenEndsAtOnce)
            try await home.logIn("alice.test")
            try await sandbox.setFaults(Faults.slowRefresh)
            try await sandbox.resetJournal()
            let script = """
                curl -sS --max-time 60 -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" \
                    "$BSKYAUTH_PROXY_URL/xrpc/com.atproto.repo.describeRepo?repo=alice.test" >/dev/null 2>&1 &
                until curl -sS "$BSKYAUTH_DEV_NETWORK/_sandbox/journal" | grep -q '"grant":"refresh_token"'; do :; done
                echo begun
                """
            let running = try Program.Server(
                Paths.program, ["exec", "--", "sh", "-c", script],
                environment: home.environment.merging(["BSKYAUTH_NO_KEEPER": "1"]) { $1 })
            #expect(running.announcement == "begun")
            await running.end(by: SIGTERM)
            try await sandbox.setFaults("[]")
            let later = try await home.run("call", "com.atproto.server.getSession")
            #expect(later.status == 0, "\(later.errors)")
        }

        @Test("its program has the proxy's address and secret, and nothing that opens the vault")
        func environment() async throws {
            let (passphrase, file) = ("correct horse & staple", home.directory.appending(path: "passphrase"))
            try Data(passphrase.utf8).write(to: file)
            let home = try Home(sandbox, key: ["BSKYAUTH_PASSPHRASE": passphrase])
            try await home.logIn("alice.test")
            let more = [
                "BSKYAUTH_PASSPHRASE_FILE": file.path, "BSKYAUTH_KEY_FILE": "/nowhere",
                "BSKYAUTH_AFTER_ROTATION": "true",
                "BSKYAUTH_PASSPHRASE_COMMAND": "echo no", "BSKYAUTH_RECIPIENT_KEY": "/nowhere",
                "BSKYAUTH_BUNDLE_PASSPHRASE_FILE": file.path, "NO_PROXY": "example.com", "KEPT": "yes",
            ].filter { $0.key == "NO_PROXY" || $0.key == "KEPT" || $0.key.hasPrefix("BSKYAUTH_BUNDLE") }
            let result = try await home.run(
                [
                    "exec", "--for", "env", "--for", "goat", "--set", "MY_URL=url", "--set",
                    "MY_SECRET=secret", "--set",
                    "MY_NAME=handle", "--",
                    "sh", "-c",
                    "env; ls -l /proc/self/fd | wc -l; cat $XDG_STATE_HOME/goat/auth-session.json; echo; echo $XDG_STATE_HOME; stat -c %a $XDG_STATE_HOME $XDG_STATE_HOME/goat/auth-session.json",
                ],
                environment: more)
            #expect(result.status == 0, "\(result.errors)")
            let lines = result.text.split(separator: "\n").map(String.init)
            let variables = Dictionary(
                lines.compactMap { line in
                    line.firstIndex(of: "=").map {
                        (String(line[..<$0]), String(line[line.index(after: $0)...]))
                    }
                }, uniquingKeysWith: { first, _ in first })
            #expect(variables["MY_URL"] == variables["BSKYAUTH_PROXY_URL"])
            #expect(variables["MY_SECRET"] == variables["BSKYAUTH_PROXY_SECRET"])
            #expect(variables["BLUESKY_HANDLE"] == "alice.test")
            #expect(variables["MY_NAME"] == "alice.test" && variables["KEPT"] == "yes")
            #expect(variables["NO_PROXY"] == "example.com,127.0.0.1" && variables["no_proxy"] == "127.0.0.1")
            #expect(variables["BSKYAUTH_PROXY_SECRET"]?.hasPrefix("bskyauth-run-") == true)
            for name in variables.keys {
                #expect(
                    !["PASSPHRASE", "KEY_FILE", "RECIPIENT", "AFTER_ROTATION"].contains { name.contains($0) },
                    "\(name)")
            }
            // total, 0, 1, 2, and the folder that ls reads.
            #expect(lines.contains("5"))
            #expect(
                lines.contains { $0.contains(#""password":"""#) && $0.contains(#""pds":"http://127.0.0.1:"#) }
            )
            #expect(lines.suffix(2) == ["700", "600"])
            let folder = try #require(variables["XDG_STATE_HOME"])
            #expect(!FileManager.default.fileExists(atPath: folder), "nothing is left behind")
        }

        @Test("fifty programs with an ended token share one refresh")
        func oneRefresh() async throws {
            try await sandbox.setFaults(Faults.tokenEndsAtOnce)
            try await home.logIn("alice.test")
            try await sandbox.resetJournal()
            let script = """
                for i in $(seq 50); do
                    curl -sS -o /dev/null -w '%{http_code}\\n' -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" \
                        "$BSKYAUTH_PROXY_URL/xrpc/com.atproto.repo.describeRepo?repo=alice.test" &
                done
                wait
                """
            let result = try await home.succeed("exec", "--lock-timeout", "60s", "--", "sh", "-c", script)
            #expect(
                result.text.split(separator: "\n") == Array(repeating: "200", count: 50), "\(result.errors)")
            let requests = try await sandbox.requests()
            #expect(requests.filter { $0.isRefresh && $0.consumed }.count == 1)
            #expect(!requests.contains { $0.isRefresh && !$0.consumed && !$0.isNonceChallenge })
        }

        @Test("fifty of it at once share one refresh")
        func fifty() async throws {
            try await sandbox.setFaults(Faults.tokenEndsAtOnce)
            try await home.logIn("alice.test")
            try await sandbox.resetJournal()
            let call = """
                curl -sS -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" "$BSKYAUTH_PROXY_URL/xrpc/com.atproto.repo.describeRepo?repo=alice.test" | jq -r .handle
                """
            let running = try (1...50).map { _ in
                try home.start("exec", "--lock-timeout", "60s", "--", "sh", "-c", call)
            }
            for running in running {
                let result = try await running.result()
                #expect(
                    result.status == 0 && result.text == "alice.test\n", "\(result.errors) \(result.text)")
            }
            let requests = try await sandbox.requests()
            #expect(requests.filter { $0.isRefresh && $0.consumed }.count == 1)
            #expect(!requests.contains { $0.sessionEnded })
        }

        @Test("a 20 MB body meets a nonce challenge and a refresh, and arrives byte for byte")
        func longBody() async throws {
            let blob = try Data.random(count: 20_000_000)
            let file = home.directory.appending(path: "blob")
            try blob.write(to: file)
            let alice = try await home.logIn("alice.test")
            // A nonce that looks good, or the program would ask for one before it sends the body.
            try await home.succeed("call", "com.atproto.server.getSession")
            // The token looks good, and the server refuses it: the refresh comes after the first sending.
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/com.atproto.repo.uploadBlob"},"times":1,"action":{"respond":{"status":401,"headers":{"www-authenticate":"DPoP error=\"invalid_token\""},"body":{"error":"invalid_token"}}}}]"#
            )
            try await sandbox.advanceClock("10m")
            try await sandbox.resetJournal()
            let upload = """
                curl -sS -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" -H 'Content-Type: image/png' $CHUNKED --data-binary @\(file.path) \
                    "$BSKYAUTH_PROXY_URL/xrpc/com.atproto.repo.uploadBlob" | jq -r '.blob.ref["$link"]'
                """
            let uploaded = try await home.succeed("exec", "--", "sh", "-c", upload)
            let requests = try await sandbox.requests()
            #expect(
                requests.contains { $0.path.hasSuffix("uploadBlob") && $0.isNonceChallenge },
                "\(requests.map(\.line))")
            #expect(requests.filter { $0.isRefresh && $0.consumed }.count == 1)
            let cid = uploaded.text.trimmingCharacters(in: .whitespacesAndNewlines)
            let copy = try await home.run([
                "call", "com.atproto.sync.getBlob", "did=\(alice.did)", "cid=\(cid)",
            ])
            #expect(copy.output == blob)
        }

        @Test("an ended session is an authentication that fails, not a token to refresh, and is said once")
        func ended() async throws {
            let alice = try await home.logIn("alice.test")
            try await sandbox.setFaults(Faults.tokenEndsAtOnce)
            try await home.logIn("alice.test")
            try await sandbox.endSessions(of: alice.did)
            let script =
                Self.logIn + """

                    for i in 1 2 3; do ask "com.atproto.repo.describeRepo?repo=alice.test" | jq -r .error; done
                    ask com.atproto.server.getSession | jq -r .error
                    """
            let result = try await home.run("exec", "--for", "env", "--", "sh", "-c", script)
            #expect(
                result.text.split(separator: "\n") == Array(repeating: "AuthenticationRequired", count: 4),
                "\(result.text)")
            #expect(result.errors.components(separatedBy: "bskyauth login").count == 2, "\(result.errors)")
        }

        @Test("a secret is for one account and one run, and every other one costs the connection")
        func secrets() async throws {
            try await home.logIn("alice.test")
            try await home.logIn("bob.test")
            let login = { (name: String, password: String) in
                "curl -sS --json '{\"identifier\":\"\(name)\",\"password\":\"'\(password)'\"}' $BSKYAUTH_PROXY_URL/xrpc/com.atproto.server.createSession | jq -r '.message // .handle'"
            }
            let script = """
                \(login("alice.test", "$BSKYAUTH_PROXY_SECRET"))
                \(login("@ALICE.test", "$BSKYAUTH_PROXY_SECRET"))
                \(login("bob.test", "$BSKYAUTH_PROXY_SECRET"))
                \(login("alice@example.com", "$BSKYAUTH_PROXY_SECRET"))
                \(login("alice.test", "bskyauth-run-AAAAAAAAAAAAAAAAAAAAAAAAAAA"))
                \(login("alice.test", "$OTHER"))
                """
            let result = try await home.run(
                ["exec", "-a", "alice.test", "--", "sh", "-c", script],
                environment: ["OTHER": "bskyauth-run-BBBBBBBBBBBBBBBBBBBBBBBBBBB"])
            let lines = result.text.split(separator: "\n")
            #expect(lines.prefix(2) == ["alice.test", "alice.test"], "\(result.text) \(result.errors)")
            #expect(
                lines.count == 6 && lines[2...3].allSatisfy { $0.contains("this secret is for alice.test") })
            #expect(lines.count == 6 && lines[4...5].allSatisfy { $0.contains("not the secret of this run") })
        }
    }
}
