import Testing

@testable import SandboxNetwork

@Suite(
    "Documents of clients that the sandbox fetches",
    .enabled(if: Program.areThere, "openssl, curl and nginx are needed"))
struct FetchedDocumentTests {
    @Test("a client logs in with the document on its host", .covers("L12"))
    func login() async throws {
        try await withFetchedClient { client, _ in
            let tokens = try await client.login()
            #expect(try await client.refresh(tokens.refresh).status == 200)
        }
    }

    @Test(
        "a document that is not served as it must be is refused", .covers("L12"),
        arguments: [
            ("missing.json", "status 404"), ("html.json", "not application/json"),
            ("moved.json", "status 302"),
            ("gone.json", "status 410"), ("large.json", "curl ended with 63"), ("chunked.json", ""),
            ("slow.json", "curl ended with 28"),
        ])
    func faults(name: String, reason: String) async throws {
        let timeLimit = Duration.seconds(name == "slow.json" ? 1 : 60)
        try await withFetchedClient(timeLimit: timeLimit) { client, host in
            var faulty = client
            faulty.clientID = host.id(name)
            let key = try #require(client.assertion).key
            var document = HostedClient.document(host.id(name), keys: [("key-1", key)])
            if ["large.json", "chunked.json"].contains(name) {
                document.set(.string(String(repeating: "x", count: 600_000)), at: "/client_name")
            }
            for place in ["moved/there.json", "gone/page.json"] { try host.write(document, to: place) }
            if name != "missing.json" { try host.write(document, to: name) }
            let answer = try await faulty.push(verifier: TestKey.random())
            #expect(answer.status == 400)
            #expect(answer.error == "invalid_client_metadata")
            #expect(answer.json["error_description"]?.string?.hasSuffix(reason) == true)
        }
    }

    @Test("a document must name its own URL", .covers("L12"))
    func name() async throws {
        try await withFetchedClient { client, host in
            var document = HostedClient.document(host.id("other.json"), keys: [])
            document.set(.string(host.id()), at: "/client_id")
            try host.write(document, to: "other.json")
            var other = client
            other.clientID = host.id("other.json")
            let answer = try await other.push(verifier: TestKey.random())
            #expect(answer.json["error_description"] == "client_id does not match")
        }
    }

    @Test("a host with a certificate of another authority is refused")
    func stranger() async throws {
        try await withStaticHost { host in
            try await withStaticHost { other in
                try await withSandbox({ $0.clientDocuments = .init(authorities: other.authority) }) {
                    sandbox in
                    var client = ScriptedClient.confidential(sandbox)
                    client.clientID = host.id()
                    try host.publish(client)
                    let answer = try await client.push(verifier: TestKey.random())
                    #expect(
                        answer.json["error_description"]?.string?.hasSuffix("curl ended with 60") == true)
                }
            }
        }
    }

    @Test(
        "a document counts until its time is over, on the sandbox's clock",
        arguments: [("official", 10), ("cocoon", 10), ("cirrus", 60)])
    func cache(server: String, minutes: Int) async throws {
        let profile = try #require(ServerProfile.all.first { $0.name == server })
        try await withFetchedClient(profile) { client, host in
            _ = try await client.sandbox.post("/_sandbox/clock", json: ["stop": true])
            var tokens = try await client.login()
            try host.write(HostedClient.document(host.id(), keys: [("key-2", TestKey())]))
            try await client.sandbox.advanceClock("\(minutes * 60 - 1)s")
            tokens = try ScriptedClient.tokens(in: try await client.refresh(tokens.refresh))
            try await client.sandbox.advanceClock("1s")
            #expect(try await client.refresh(tokens.refresh).status != 200)
            try host.publish(client)
            #expect(try await client.refresh(tokens.refresh).status != 200)
            try await client.sandbox.advanceClock("\(minutes)m")
            #expect(try await client.refresh(tokens.refresh).status == 200)
        }
    }

    @Test("a fault of the document costs nothing, and is over as soon as it is mended", .covers("R80"))
    func mended() async throws {
        try await withFetchedClient { client, host in
            let tokens = try await client.login()
            try await client.sandbox.advanceClock("10m")
            try host.remove()
            #expect(try await client.refresh(tokens.refresh).error == "invalid_client_metadata")
            #expect(try await client.revoke(tokens.refresh, clientID: client.clientID).text == "{}")
            try host.publish(client)
            #expect(try await client.refresh(tokens.refresh).status == 200)
        }
    }

    @Test("without --client-ca nothing is fetched")
    func off() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient.confidential(sandbox)
            let answer = try await client.push(verifier: TestKey.random())
            #expect(answer.error == "invalid_client_metadata")
            #expect(answer.json["error_description"]?.string?.contains("--client-ca") == true)
        }
    }

    @Test("serve --client-ca fetches")
    func commandLine() async throws {
        try await withStaticHost { host in
            try await withProcess(["--client-ca", host.authority]) { sandbox in
                var client = ScriptedClient.confidential(sandbox)
                client.clientID = host.id()
                try host.publish(client)
                #expect(try await client.push(verifier: TestKey.random()).status == 201)
            }
        }
    }

    @Test("serve --client-time-limit ends a slow fetch")
    func commandLineTimeLimit() async throws {
        try await withStaticHost { host in
            try host.write(HostedClient.document(host.id("slow.json"), keys: []), to: "slow.json")
            let options = ["--client-ca", host.authority, "--client-time-limit", "1s"]
            try await withProcess(options) { sandbox in
                var client = ScriptedClient.confidential(sandbox)
                client.clientID = host.id("slow.json")
                let answer = try await client.push(verifier: TestKey.random())
                #expect(answer.json["error_description"]?.string?.hasSuffix("curl ended with 28") == true)
            }
        }
    }

    private func withProcess(
        _ options: [String], _ body: (RunningSandbox) async throws -> Void
    ) async throws {
        let process = SandboxProcess(["serve"] + options)
        defer { process.kill() }
        var lines = process.lines.makeAsyncIterator()
        let origin = String(try #require(await lines.next()).split(separator: "=")[1])
        try await body(RunningSandbox(origin: origin))
    }
}

@Suite("The client_id of a hosted client")
struct HostedClientIDTests {
    @Test(
        "is an https URL in canonical form", .covers("L12"),
        arguments: [
            "https://app.example.com/client.json", "https://app.example.com/a/client.json",
            "https://app.example.com:8443/client.json", "https://app.example.com/c?x=1",
        ])
    func accepted(text: String) {
        #expect(HostedClientID(text)?.url == text)
    }

    @Test(
        "is refused in any other form", .covers("L12"),
        arguments: [
            "http://app.example.com/c.json", "https://app.example.com", "https://app.example.com/",
            "https://app.example.com/a/", "https://app.example.com/a/../c.json",
            "https://app.example.com/./c.json", "https://app.example.com/%2E%2e/c.json",
            "https://App.example.com/c.json", "https://app.example.com:443/c.json",
            "https://user@app.example.com/c.json", "https://app.example.com/c.json#x",
            "https://192.0.2.7/c.json", "https://[2001:db8::1]/c.json", "https://app/c.json",
            "https://app..com/c.json", "https:/app.example.com/c.json", "nonsense",
        ])
    func refused(text: String) {
        #expect(HostedClientID(text) == nil)
    }
}
