import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("proxy")
    struct ProxyTests {
        private let sandbox: Sandbox
        private let home: Home

        init() throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
        }

        /// A proxy that runs, and what it announced.
        private struct Running {
            let server: Program.Server
            let url: String
            let secret: String
        }

        /// Starts a proxy and reads its first line.
        private func start(_ arguments: String...) async throws -> Running {
            let server = try Program.Server(
                Paths.program, ["proxy", "--json"] + arguments, environment: home.environment)
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(server.announcement.utf8)) as? [String: Any])
            let accounts = try #require(json["accounts"] as? [[String: Any]])
            let secret = accounts.first?["secret"] as? String
            guard let option = arguments.firstIndex(of: "--env-file") else {
                return Running(
                    server: server, url: try #require(json["url"] as? String),
                    secret: try #require(secret))
            }
            #expect(secret == nil)
            let text = try String(contentsOfFile: arguments[option + 1], encoding: .utf8)
            let match = try #require(try /BSKYAUTH_PROXY_SECRET=(.+)/.firstMatch(in: text))
            return Running(
                server: server, url: try #require(json["url"] as? String), secret: String(match.output.1))
        }

        /// Sends a request with the secret, written as `METHOD target`, and returns the status.
        private func status(_ line: String, _ proxy: Running, _ more: String...) async throws -> Int? {
            let parts = line.split(separator: " ", maxSplits: 1)
            var command = [
                "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "--path-as-is", "--max-time", "60",
            ]
            command += parts[0] == "HEAD" ? ["-I"] : ["-X", String(parts[0])]
            command += ["-H", "Authorization: Bearer \(proxy.secret)"] + more + [proxy.url + parts[1]]
            let result = try await Program.run(
                "/usr/bin/env", command, environment: Program.inheritedEnvironment)
            return Int(result.text)
        }

        private static let serviceAuth = "/xrpc/com.atproto.server.getServiceAuth"

        /// Requests that no limit of these tests lets through.
        private static let refused =
            [
                "POST /xrpc/com.atproto.repo.createRecord", "POST /xrpc/com.atproto.repo.CREATERECORD",
                "POST /xrpc/COM.ATPROTO.REPO.createRecord", "POST /xrpc/com.atproto.repo.createRecord/",
                "POST /xrpc/com.atproto.repo.createRecord//", "POST //xrpc/com.atproto.repo.createRecord",
                "POST /xrpc//com.atproto.repo.createRecord", "POST /xrpc/com.atproto.repo.create%52ecord",
                "POST /xrpc/com%2eatproto.repo.createRecord", "POST /xrpc/com.atproto.repo.createRecord;x",
                "POST /xrpc/com.atproto.repo.createRecord%2f",
                "POST /xrpc/x/../com.atproto.repo.createRecord",
                "POST /x/../xrpc/com.atproto.repo.createRecord", "POST /XRPC/com.atproto.repo.createRecord",
                "GET /xrpc/com.atproto.repo.createRecord", "HEAD /xrpc/com.atproto.repo.createRecord",
                "PUT /xrpc/com.atproto.repo.createRecord", "PATCH /xrpc/com.atproto.repo.createRecord",
                "DELETE /xrpc/com.atproto.repo.createRecord", "OPTIONS /xrpc/com.atproto.repo.getRecord",
                "POST /xrpc/com.atproto.repo.putRecord", "POST /xrpc/com.atproto.repo.deleteRecord",
                "POST /xrpc/com.atproto.repo.applyWrites", "POST /xrpc/com.atproto.repo.uploadBlob",
                "POST /xrpc/com.atproto.repo.importRepo", "POST /xrpc/com.atproto.identity.updateHandle",
                "POST /xrpc/app.bsky.feed.getTimeline", "POST /xrpc/com.atproto.repo.getRecord",
                "POST /xrpc/app.bsky.graph.muteActor", "POST /xrpc/com.example.unknown",
                "GET /xrpc/com.example.unknown",
                "GET \(serviceAuth)", "HEAD \(serviceAuth)", "POST \(serviceAuth)", "GET \(serviceAuth)/",
                "GET /xrpc/com.atproto.server.GETSERVICEAUTH?aud=did:web:a.example",
                "GET \(serviceAuth)?aud=did:web:a.example",
                "GET \(serviceAuth)?aud=did:web:a.example&lxm=com.atproto.repo.createRecord",
                "GET \(serviceAuth)?aud=did:web:a.example&lxm=app.bsky.feed.getTimeline",
                "GET \(serviceAuth)?aud=did:web:a.example&lxm=app.bsky.feed.getTimeline&lxm=com.atproto.repo.createRecord",
                "GET /xrpc/chat.bsky.convo.getConvoForMembers?members=did:web:a.example",
                "GET /xrpc/com.atproto.server.listAppPasswords",
                "POST /xrpc/com.atproto.server.createAppPassword",
                "POST /xrpc/com.atproto.server.deactivateAccount", "GET /oauth/authorize",
                "POST /oauth/token",
                "GET /xrpc/com.atproto.sync.subscribeRepos", "GET /.well-known/oauth-protected-resource",
            ]

        @Test(
            "what a limit refuses never arrives",
            arguments: [
                ["--read-only"], ["--allow", "app.bsky.actor.*"],
                ["--read-only", "--allow", "app.bsky.actor.*"],
                ["--allow", "repo:app.bsky.feed.post?action=create", "--allow", "com.atproto.server.*"],
            ])
        func limits(_ limits: [String]) async throws {
            try await home.logIn("alice.test")
            let server = try Program.Server(
                Paths.program, ["proxy", "--json"] + limits, environment: home.environment)
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(server.announcement.utf8)) as? [String: Any])
            let secret = try #require((json["accounts"] as? [[String: Any]])?.first?["secret"] as? String)
            let proxy = Running(server: server, url: try #require(json["url"] as? String), secret: secret)
            let requests = try await sandbox.requests {
                #expect(Self.refused.count >= 40)
                for line in Self.refused {
                    let status = try await status(line, proxy, "-H", "Content-Type: application/json")
                    #expect([400, 403, 404, 405, 501].contains(status), "\(line): \(status ?? 0)")
                }
                for service in [
                    "did:web:api.bsky.chat#bsky_chat", "did:web:evil.example#x", "", "did:web:api.bsky.app",
                ] {
                    let status = try await status(
                        "GET /xrpc/app.bsky.actor.getProfile?actor=alice.test", proxy, "-H",
                        "atproto-proxy: \(service.isEmpty ? "x" : service)")
                    #expect(status == 403, "\(service)")
                }
                // One write of another collection spoils the batch.
                let foreign = """
                    {"repo":"alice.test","writes":[\
                    {"$type":"com.atproto.repo.applyWrites#create","collection":"app.bsky.feed.post","value":{}},\
                    {"$type":"com.atproto.repo.applyWrites#create","collection":"app.bsky.graph.follow","value":{}}]}
                    """
                #expect(
                    try await status("POST /xrpc/com.atproto.repo.applyWrites", proxy, "--json", foreign)
                        == 403)
                #expect(
                    try await status(
                        "POST /xrpc/com.atproto.repo.createRecord", proxy, "--json",
                        #"{"repo":"bob.test","collection":"app.bsky.feed.post","record":{}}"#) == 403)
            }
            #expect(requests.map(\.line) == [])
            await proxy.server.end()
        }

        @Test("what a limit allows arrives")
        func allowed() async throws {
            try await home.logIn("alice.test")
            let proxy = try await start(
                "--allow", "repo:app.bsky.feed.post?action=create", "--allow", "com.atproto.repo.listRecords")
            let body = #"{"repo":"alice.test","collection":"app.bsky.feed.post","record":{"text":"x"}}"#
            #expect(
                try await status("POST /xrpc/com.atproto.repo.createRecord", proxy, "--json", body) == 200)
            #expect(
                try await status(
                    "GET /xrpc/com.atproto.repo.listRecords?repo=alice.test&collection=app.bsky.feed.post",
                    proxy) == 200)
            #expect(
                try await status(
                    "HEAD /xrpc/com.atproto.repo.listRecords?repo=alice.test&collection=app.bsky.feed.post",
                    proxy) == 200)
            await proxy.server.end()
        }

        @Test("a permission set lets through what it permits, which is listed at the start")
        func set() async throws {
            try await home.logIn("alice.test")
            let set = "include:app.bsky.authCreatePosts?aud=did:web:api.bsky.app%23bsky_appview"
            let proxy = try await start("--allow", set)
            func write(_ method: String, _ rest: String) async throws -> Int? {
                let body = #"{"repo":"alice.test","collection":"app.bsky.feed.post",\#(rest)}"#
                return try await status("POST /xrpc/com.atproto.repo.\(method)", proxy, "--json", body)
            }
            #expect(try await write("createRecord", #""record":{"text":"x"}"#) == 200)
            #expect(try await write("deleteRecord", #""rkey":"3l6oveex3ii2l""#) == 403)
            await proxy.server.end()
            let exec = try await home.succeed("exec", "--allow", set, "--", "true")
            #expect(exec.errors.contains("lets the program:\n  create records of app.bsky.feed.post"))
            let none = try await home.run("exec", "--allow", "include:app.bsky.authViewAll", "--", "true")
            #expect(none.status == 64 && none.errors.contains("needs an aud"), "\(none.errors)")
        }

        @Test("a wrong secret, Host, or Origin gets nothing, and the right one goes on")
        func strangers() async throws {
            try await home.logIn("alice.test")
            let (proxy, other) = (try await start(), try await start())
            let line = "GET /xrpc/com.atproto.repo.describeRepo?repo=alice.test"
            try await sandbox.resetJournal()
            for wrong in ["x", "bskyauth-run-", other.secret, proxy.secret + "x", ""] {
                let stranger = Running(server: proxy.server, url: proxy.url, secret: wrong)
                for _ in 1...10 { #expect(try await status(line, stranger) == 401, "\(wrong)") }
            }
            #expect(try await status(line, proxy, "-H", "Authorization: Bearer \(proxy.secret)") == 401)
            #expect(try await status(line, proxy, "-H", "Host: localhost") == 400)
            #expect(try await status(line, proxy, "-H", "Origin: http://127.0.0.1") == 400)
            #expect(
                try await status(
                    "GET /", proxy, "--request-target",
                    "http://127.0.0.1/xrpc/com.atproto.server.getSession") == 400)
            #expect(try await sandbox.requests().isEmpty)
            #expect(try await status(line, proxy) == 200)
            await proxy.server.end()
            await other.server.end()
        }

        @Test("writes its secrets to a new private file, and its requests without them to a log")
        func files() async throws {
            let alice = try await home.logIn("alice.test")
            let (file, log) = (
                home.directory.appending(path: "proxy.env"), home.directory.appending(path: "proxy.log")
            )
            let proxy = try await start("--env-file", file.path, "--log", log.path)
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(
                text.split(separator: "\n").count == 3
                    && text.contains("BSKYAUTH_PROXY_SECRET=\(proxy.secret)\n"))
            #expect(
                try await status("GET /xrpc/com.atproto.repo.describeRepo?repo=alice.test&probe=seen", proxy)
                    == 200)
            #expect(try await status("GET /xrpc/\(proxy.secret)", proxy) == 400)
            for path in [file.path, log.path] {
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            await proxy.server.end()
            #expect(!FileManager.default.fileExists(atPath: file.path))
            let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
            #expect(
                lines.count == 2 && lines[0].contains(" GET com.atproto.repo.describeRepo 200 ")
                    && lines[1].contains(" GET - 400 "))
            #expect(
                !lines.joined().contains("seen") && !lines.joined().contains(proxy.secret)
                    && !lines.joined().contains(alice.did))
            try Data("mine".utf8).write(to: file)
            let again = try await home.run("proxy", "--env-file", file.path)
            #expect(again.status != 0 && again.errors.contains("can't be written"))
            let nowhere = home.directory.appending(path: "no directory/file").path
            for option in ["--env-file", "--log", "--socket"] {
                let result = try await home.run("proxy", option, nowhere)
                #expect(
                    result.errors.contains("mkdir -p -m 700 '\(home.directory.path)/no directory'"),
                    "\(result.errors)")
            }
            #expect(try String(contentsOf: file, encoding: .utf8) == "mine")
        }

        @Test("listens on a socket in a private folder only, and takes the place of a dead one")
        func socket() async throws {
            try await home.logIn("alice.test")
            let folder = try home.folder("run")
            let path = folder.appending(path: "s").path
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
            let open = try await home.run("proxy", "--socket", path)
            #expect(open.status == 64 && open.errors.contains("closed to others"), "\(open.errors)")
            let command = ":  install -d -m 700 ~/.bskyauth-run\n"
            #expect(open.errors.contains("--socket ~/.bskyauth-run/s" + command), "\(open.errors)")
            // The command also closes a folder that is there and open.
            let closed = try await Program.run(
                "/bin/sh",
                ["-c", "mkdir -m 755 ~/.bskyauth-run; \(command.dropFirst(3)) stat -c %a ~/.bskyauth-run"],
                environment: home.environment)
            #expect(closed.text == "700\n", "\(closed.errors)")
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
            for _ in 1...2 {
                let proxy = try await start("--socket", path)
                let result = try await Program.run(
                    "/usr/bin/env",
                    [
                        "curl", "-sS", "--unix-socket", path, "-H", "Authorization: Bearer \(proxy.secret)",
                        "http://localhost/xrpc/com.atproto.server.getSession",
                    ],
                    environment: Program.inheritedEnvironment)
                #expect(result.text.contains("alice.test"))
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                let second = try await home.run("proxy", "--socket", path)
                #expect(second.status == 75, "\(second.errors)")
                // What a kill leaves.
                _ = await proxy.server.end(by: SIGKILL)
                #expect(FileManager.default.fileExists(atPath: path))
            }
            let last = try await start("--socket", path)
            await last.server.end()
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test("serves several accounts, each by its own secret")
        func several() async throws {
            try await home.logIn("alice.test")
            try await home.logIn("bob.test")
            let server = try Program.Server(
                Paths.program, ["proxy", "--json", "alice.test", "bob.test"], environment: home.environment)
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(server.announcement.utf8)) as? [String: Any])
            let accounts = try #require(json["accounts"] as? [[String: Any]])
            for account in accounts {
                let result = try await Program.run(
                    "/usr/bin/env",
                    [
                        "curl", "-sS", "-H", "Authorization: Bearer \(account["secret"] ?? "")",
                        "\(json["url"] ?? "")/xrpc/com.atproto.server.getSession",
                    ],
                    environment: Program.inheritedEnvironment)
                #expect(result.json?["handle"] as? String == account["handle"] as? String)
            }
            #expect(accounts.compactMap { $0["handle"] as? String } == ["alice.test", "bob.test"])
            await server.end()
        }

        @Test("ends when the vault is locked", .enabled(if: VaultUnlockTests.isPossible))
        func locked() async throws {
            try await home.logIn("alice.test")
            let proxy = try await start()
            let kept = try await start("--keep-unlocked")
            #expect(try await status("GET /xrpc/com.atproto.server.getSession", proxy) == 200)
            try await home.succeed("vault", "lock")
            await proxy.server.end(by: 0)
            #expect(try await status("GET /xrpc/com.atproto.server.getSession", kept) == 200)
            await kept.server.end()
        }
    }
}
