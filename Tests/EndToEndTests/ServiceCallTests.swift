import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Calls of a service itself")
    struct ServiceCallTests {
        private let sandbox: Sandbox
        private let home: Home
        private let did: String
        private var service: String { did + "#sandbox" }

        init() async throws {
            sandbox = try Sandbox(["--service-port", "0"])
            home = try Home(sandbox)
            let json = try JSONSerialization.jsonObject(with: try await sandbox.get("/_sandbox/service"))
            did = try #require((json as? [String: Any])?["did"] as? String)
        }

        /// The requests to the service, apart from its DID document.
        private func calls() async throws -> [Sandbox.Entry] {
            try await sandbox.journal().filter {
                $0["role"] as? String == "svc" && ($0["path"] as? String)?.hasPrefix("/xrpc/") == true
            }
        }

        @Test(
            "have a token of the account for this method, and no proof and no token of the PDS",
            .covers("X13"))
        func call() async throws {
            let alice = try await home.logIn("alice.test")
            for (options, audience) in [([], did), (["--aud-with-service"], service)] {
                let read = try await home.run(
                    ["call", "com.example.feed.getThing", "--service", service, "-v"] + options)
                #expect(read.status == 0 && !read.errors.contains("eyJ"), "\(read.errors)")
                #expect(read.json?["iss"] as? String == alice.did && read.json?["aud"] as? String == audience)
                #expect(read.json?["lxm"] as? String == "com.example.feed.getThing")
            }
            let written = try await home.succeed(
                "call", "com.example.feed.putThing", "--service", service, "text=hello")
            #expect(written.json?["received"] as? String == #"{"text":"hello"}"#)
            let calls = try await calls()
            #expect(calls.map { $0["auth"] as? String } == ["service", "service", "service"])
            #expect(calls.allSatisfy { $0["proof"] is NSNull && $0["jkt"] is NSNull })
            let others = try await sandbox.journal().filter {
                ($0["path"] as? String)?.contains("Thing") == true
            }
            #expect(others.count == calls.count)
        }

        @Test("have a new token for each page and each retry", .covers("X13"))
        func again() async throws {
            try await home.logIn("alice.test")
            let list = "com.example.feed.listItems"
            let pages = try await home.succeed("call", list, "--service", service, "--items")
            #expect(pages.text == "1\n2\n3\n")
            // The service has taken the token, and its answer is lost.
            try await sandbox.setFaults(
                #"[{"match":{"role":"svc","path":"/xrpc/\#(list)"},"times":1,"action":{"drop":"after"}}]"#)
            let call = try await home.succeed("call", list, "--service", service, "--retry", "1")
            #expect(call.errors.contains("retrying"))
            #expect(try await calls().count == 5)
            try await sandbox.setFaults(
                Faults.answer("com.atproto.server.getServiceAuth", 503, body: "{}", times: 1))
            try await home.succeed("call", list, "--service", service, "--retry", "1")
            let refused = try await home.succeed("call", list, "--service", service, "--get", ".aud")
            #expect(refused.text == did + "\n")
        }

        @Test("are not sent if the service is not known, or is elsewhere", .covers("X13"))
        func unusable() async throws {
            try await home.logIn("alice.test")
            func document(_ endpoint: String) -> String {
                #"[{"match":{"role":"svc","path":"/.well-known/did.json"},"action":{"amend":"#
                    + #"{"set":{"/service/0/serviceEndpoint":"\#(endpoint)"}}}}]"#
            }
            for (name, faults, status, code) in [
                ("did:plc:ewvi7nxzyoun6zhxrhs64oiz#sandbox", "[]", 6, "service_not_found"),
                (did + "#other", "[]", 6, "service_not_found"),
                (service, document("https://evil.example.com"), 12, "outside_dev_network"),
                (service, document("http://127.0.0.1/path"), 12, "service_unusable"),
                (
                    service, #"[{"match":{"role":"svc"},"action":{"respond":{"status":302}}}]"#, 12,
                    "identity_unavailable"
                ),
            ] {
                try await sandbox.setFaults(faults)
                try await sandbox.resetJournal()
                let call = try await home.run("call", "a.b.getC", "--service", name, "--json")
                #expect(call.status == Int32(status) && call.errorLine?.code == code, "\(call.errors)")
                #expect(call.output.isEmpty && call.errorLine?.hint?.isEmpty == false)
                let requests = try await sandbox.requests()
                #expect(!requests.contains { $0.path.hasPrefix("/xrpc/") }, "\(name)")
            }
            try await sandbox.setFaults(
                #"[{"match":{"role":"svc","path_prefix":"/xrpc/"},"action":{"respond":{"status":307,"#
                    + #""headers":{"location":"\#(sandbox.address)/xrpc/a.b.getC"}}}}]"#)
            let redirected = try await home.run("call", "a.b.getC", "--service", service, "--json", "-i")
            #expect(redirected.status == 10 && redirected.errorLine?.code == "service_redirects")
            #expect(try await calls().count == 1 && redirected.output.isEmpty)
        }

        @Test("that the service or the PDS refuses say what to change")
        func refused() async throws {
            try await home.logIn("alice.test")
            try await sandbox.setFaults(
                #"[{"match":{"role":"svc","path_prefix":"/xrpc/"},"action":{"respond":{"status":401,"#
                    + #""headers":{"content-type":"application/json"},"body":{"error":"BadJwtAudience"}}}}]"#)
            for (options, hint) in [([], "add --aud-with-service"), (["--aud-with-service"], "leave out")] {
                let call = try await home.run(
                    ["call", "a.b.getC", "--service", service, "--json"] + options)
                #expect(call.status == 10 && call.errorLine?.serverError == "BadJwtAudience")
                #expect(call.errorLine?.hint?.contains(hint) == true, "\(call.errors)")
            }
            try await home.succeed("login", "alice.test", "--scope", "blob:*/*")
            let call = try await home.run("call", "a.b.getC", "--service", service, "--json")
            #expect(call.status == 8 && call.errorLine?.message.contains("rpc:a.b.getC?aud=*") == true)
        }

        @Test("go together with no other way to a service")
        func usage() async throws {
            try await home.logIn("alice.test")
            let requests = try await sandbox.requests {
                for arguments in [
                    ["--proxy", "did:web:api.bsky.app#bsky_appview"], ["--appview"], ["--chat"],
                    ["--anonymous"], ["--host", sandbox.address], ["--dry-run"],
                    ["atproto-proxy:did:web:api.bsky.app#bsky_appview"], ["-H", "authorization: x"],
                ] {
                    let call = try await home.run(["call", "a.b.getC", "--service", service] + arguments)
                    #expect(call.status == 64 && call.output.isEmpty, "\(arguments): \(call.errors)")
                }
                for arguments in [
                    ["--service", did], ["--service", "https://a.example"], ["--aud-with-service"],
                ] {
                    let call = try await home.run(["call", "a.b.getC"] + arguments)
                    #expect(call.status == 64 && call.output.isEmpty, "\(arguments): \(call.errors)")
                }
            }
            #expect(requests.isEmpty)
        }
    }
}
