import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// What the proxy says of itself, which is a PDS to a program.
    @Suite("The proxy as a PDS")
    struct ProxyServerTests {
        private let sandbox: Sandbox
        private let home: Home

        init() throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
        }

        /// Functions for scripts: `plain` asks without a secret, and `ask` with it. Both end with the status.
        private static let functions = """
            plain() { method=$1; shift; curl -sS -w ' %{http_code}\\n' "$@" "$BSKYAUTH_PROXY_URL/xrpc/$method"; }
            ask() { method=$1; shift; plain "$method" -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" "$@"; }
            login() {
                curl -sS --json "{\\"identifier\\":\\"$BSKYAUTH_PROXY_HANDLE\\",\\"password\\":\\"$BSKYAUTH_PROXY_SECRET\\"}" \
                    "$BSKYAUTH_PROXY_URL/xrpc/com.atproto.server.createSession"
            }
            own="did:web:127.0.0.1%3A${BSKYAUTH_PROXY_URL##*:}"
            escape() { printf %s "$1" | sed s/%/%25/g; }

            """

        /// The lines that a script prints under `exec`.
        private func lines(_ script: String, _ options: [String] = []) async throws -> [String] {
            let result = try await home.run(["exec"] + options + ["--", "sh", "-c", Self.functions + script])
            #expect(result.status == 0, "\(result.errors)")
            return result.text.split(separator: "\n").map(String.init)
        }

        /// The claims of a token that a script printed.
        private func claims(_ token: String) throws -> [String: Any] {
            let payload = try #require(token.split(separator: ".").dropFirst().first)
            let base64 = payload.replacing("-", with: "+").replacing("_", with: "/")
            let padded = base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
            let data = try #require(Data(base64Encoded: String(padded)))
            return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        }

        @Test("passes no redirect on, so no program follows one with the secret of the run")
        func redirect() async throws {
            let elsewhere = try Sandbox()
            try await home.logIn("alice.test")
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/com.atproto.sync.getBlob"},"action":{"respond":{"status":302,"#
                    + #""headers":{"location":"\#(elsewhere.address)/xrpc/_health"},"body":""}}}]"#)
            let requests = try await elsewhere.requests {
                let answers = try await lines(
                    "ask 'com.atproto.sync.getBlob?did=did:plc:x&cid=y' -L --location-trusted -o /dev/null")
                #expect(answers == [" 302"])
            }
            #expect(requests.isEmpty)
        }

        @Test("answers questions before a login by itself")
        func beforeLogin() async throws {
            let alice = try await home.logIn("alice.test")
            try await sandbox.resetJournal()
            let answers = try await lines(
                """
                plain _health; plain com.atproto.server.describeServer | sed "s/$own/OWN/"
                for handle in ALICE.test bob.test; do
                    plain "com.atproto.identity.resolveHandle?handle=$handle" | sed 's/,"message":.*}/}/'
                done
                plain com.atproto.repo.describeRepo?repo=alice.test -o /dev/null
                plain com.atproto.server.describeServer -o /dev/null -H "Origin: http://127.0.0.1"
                plain com.atproto.server.describeServer -o /dev/null -H "Host: localhost"
                """)
            #expect(
                answers == [
                    #"{"version":"bskyauth"} 200"#, #"{"did":"OWN","availableUserDomains":[]} 200"#,
                    #"{"did":"\#(alice.did)"} 200"#, #"{"error":"InvalidRequest"} 400"#, " 401", " 400",
                    " 400",
                ])
            #expect(try await sandbox.requests().isEmpty)
            // With the secret, the account's server is asked.
            let asked = try await lines(
                "ask 'com.atproto.identity.resolveHandle?handle=bob.test'; ask com.atproto.server.describeServer"
            )
            #expect(asked.count == 2 && asked.allSatisfy { $0.hasSuffix(" 200") }, "\(asked)")
            #expect(try await sandbox.requests().count >= 2)
        }

        @Test("is the PDS in the account's DID document, and in no document on a socket")
        func document() async throws {
            let alice = try await home.logIn("alice.test")
            let answers = try await lines(
                """
                login | jq -c .didDoc | sed "s,$BSKYAUTH_PROXY_URL,URL,"
                refresh=$(login | jq -r .refreshJwt)
                curl -sS -X POST -H "Authorization: Bearer $refresh" \
                    "$BSKYAUTH_PROXY_URL/xrpc/com.atproto.server.refreshSession" | jq -c .didDoc.service[].id
                ask com.atproto.server.getSession | jq -c '.didDoc.alsoKnownAs?' | head -1
                """)
            let document =
                #"{"id":"\#(alice.did)","alsoKnownAs":["at://alice.test"],"service":[{"id":"#
                + ##""#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"URL"}]}"##
            #expect(answers == [document, ##""#atproto_pds""##, #"["at://alice.test"]"#])
            let path = try home.folder("run").appending(path: "s").path
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: home.directory.appending(path: "run").path)
            let proxy = try Program.Server(
                Paths.program, ["proxy", "--json", "--socket", path], environment: home.environment)
            let json = try JSONSerialization.jsonObject(with: Data(proxy.announcement.utf8)) as? [String: Any]
            let secret = try #require((json?["accounts"] as? [[String: Any]])?.first?["secret"] as? String)
            let session = try await Program.run(
                "/usr/bin/env",
                [
                    "curl", "-sS", "--unix-socket", path, "-H", "Authorization: Bearer \(secret)",
                    "http://localhost/xrpc/com.atproto.server.getSession",
                ], environment: Program.inheritedEnvironment)
            #expect(session.json?["did"] as? String == alice.did && session.json?["didDoc"] == nil)
            await proxy.end()
        }

        @Test("leaves what another program has put in the place of its files")
        func foreignFiles() async throws {
            try await home.logIn("alice.test")
            let folder = try home.folder("run")
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
            let paths = ["s", "env"].map { folder.appending(path: $0).path }
            let proxy = try Program.Server(
                Paths.program, ["proxy", "--json", "--socket", paths[0], "--env-file", paths[1]],
                environment: home.environment)
            for path in paths {
                #expect(FileManager.default.fileExists(atPath: path))
                try FileManager.default.removeItem(atPath: path)
                try Data("mine".utf8).write(to: URL(filePath: path))
            }
            await proxy.end()
            for path in paths { #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine") }
        }

        @Test("a token for the proxy's own name is for the account's server, and the limits judge that")
        func serviceToken() async throws {
            try await home.logIn("alice.test")
            let pds = try await home.succeed("accounts", "current", "--get", ".account.pds").text
            let authority = try #require(pds.split(whereSeparator: \.isNewline).first).dropFirst(
                "http://".count)
            let server = "did:web:" + authority.replacing(":", with: "%3A")
            let script = """
                token() { ask "com.atproto.server.getServiceAuth?aud=$(escape "$1")&lxm=$2"; }
                token "$own" com.atproto.repo.uploadBlob
                token "did:web:localhost%3A${BSKYAUTH_PROXY_URL##*:}" com.atproto.repo.uploadBlob
                token "did:web:127.0.0.1%3A1" com.atproto.repo.uploadBlob
                token "$own" com.atproto.repo.createRecord
                token "$own&aud=did:web:other.example" com.atproto.repo.uploadBlob
                """
            func audiences(_ options: [String]) async throws -> [String] {
                return try await lines(script, options).map { line in
                    guard line.hasSuffix(" 200") else { return String(line.suffix(3)) }
                    let json = try JSONSerialization.jsonObject(with: Data(line.dropLast(4).utf8))
                    let token = try #require((json as? [String: Any])?["token"] as? String)
                    return try #require(try claims(token)["aud"] as? String)
                }
            }
            let free = try await audiences([])
            #expect(free.prefix(4) == [server, server, "did:web:127.0.0.1%3A1", server])
            // The rule names the account's server, and neither another one nor another method.
            let rule = "rpc:com.atproto.repo.uploadBlob?aud=*"
            let limited = try await audiences([
                "--allow", "com.atproto.server.getServiceAuth", "--allow", rule,
            ])
            #expect(limited == [server, server, "did:web:127.0.0.1%3A1", "403", "403"])
        }

        @Test("answers for the account's own profile where the limits would refuse it")
        func profile() async throws {
            let alice = try await home.logIn("alice.test")
            try await sandbox.resetJournal()
            let script = """
                for actor in alice.test \(alice.did) bob.test; do
                    ask "app.bsky.actor.getProfile?actor=$actor" | sed 's/"message":.*}/}/'
                done
                ask app.bsky.actor.getProfile?actor=alice.test -H 'atproto-proxy: did:web:api.bsky.chat#bsky_chat' -o /dev/null
                ask 'app.bsky.actor.getProfiles?actors=alice.test' -o /dev/null
                """
            let own = #"{"did":"\#(alice.did)","handle":"alice.test"} 200"#
            let answers = try await lines(script, ["--allow", "repo:app.bsky.feed.post?action=create"])
            #expect(answers == [own, own, #"{"error":"Forbidden",} 403"#, " 403", " 403"])
            #expect(try await sandbox.requests().isEmpty)
            // Without a rule against it, the server is asked.
            let asked = try await lines("ask app.bsky.actor.getProfile?actor=alice.test", ["--read-only"])
            #expect(asked.first?.contains("postsCount") == true, "\(asked)")
        }
    }
}
