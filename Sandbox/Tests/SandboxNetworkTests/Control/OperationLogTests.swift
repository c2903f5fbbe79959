import Testing

@testable import SandboxNetwork

@Suite("The operations of a DID")
struct OperationLogTests {
    @Test("a rotation changes the document and the log, and makes a commit")
    func rotation() async throws {
        try await withRepository(2) { carol in
            let first = try await log(carol)
            #expect(first.count == 1)
            #expect(first[0]["operation"]?["prev"] == .null)
            #expect(try await named(carol) == key(in: first[0]))
            let before = try await carol.latestCommit()
            try await change(carol, "rotate_signing_key")
            let second = try await log(carol)
            #expect(second.count == 2 && second[0] == first[0])
            #expect(second[1]["operation"]?["prev"] == first[0]["cid"])
            #expect(key(in: second[1]) != key(in: first[0]))
            #expect(try await named(carol) == key(in: second[1]))
            let after = try await carol.latestCommit()
            #expect(after["rev"]?.string ?? "" > before["rev"]?.string ?? "")
        }
    }

    @Test("operations are signed by the rotation key, and have the identifiers of their bytes")
    func signatures() throws {
        let accounts = AccountRegistry(clock: SandboxClock())
        var account = try accounts.create(handle: "carol.test", password: "")
        account.rotateSigningKey(at: SandboxClock().now)
        account.tombstone(at: SandboxClock().now)
        let audit = PLCOperationLog().audit(of: account, at: "https://pds.test")
        #expect(audit.array?.count == 3)
        for entry in audit.array ?? [] {
            var operation = try #require(entry["operation"])
            #expect(Block(try CBORValue(operation).encoded).cid.text == entry["cid"]?.string)
            let signature = try #require(operation["sig"]?.string.flatMap { Base64URL.decode($0) })
            operation.remove(at: "/sig")
            let message = try CBORValue(operation).encoded
            #expect(account.rotationKey.publicKey.isValid(signature, for: message))
            #expect(!P256.flipped(signature).lexicographicallyPrecedes(signature))
        }
        let last = audit.array?.last
        #expect(last?["operation"]?["type"] == "plc_tombstone" && last?["nullified"] == false)
        let first = audit.array?.first?["operation"]
        #expect(first?["type"] == "plc_operation")
        #expect(first?["alsoKnownAs"] == ["at://carol.test"])
        #expect(first?["services"]?["atproto_pds"]?["endpoint"] == "https://pds.test")
        let rotationKey = "did:key:" + account.rotationKey.publicKey.multikey
        #expect(first?["rotationKeys"] == [.string(rotationKey)])
    }

    @Test("a given-up DID has no document until it is restored")
    func tombstone() async throws {
        try await withRepository(0) { carol in
            let did = RepositoryClient.did
            let document = try await carol.client.sandbox.get("/" + did)
            try await change(carol, "tombstoned")
            try await change(carol, "tombstoned")
            let gone = try await carol.client.sandbox.get("/" + did)
            #expect(gone.status == 410)
            #expect(gone.json == ["message": .string("DID not available: \(did)")])
            #expect(try await log(carol).map { $0["nullified"] } == [false, false])
            try await change(carol, "tombstoned", to: false)
            let restored = try await log(carol)
            #expect(restored.map { $0["nullified"] } == [false, true, false])
            #expect(restored[2]["operation"]?["prev"] == restored[0]["cid"])
            #expect(try await carol.client.sandbox.get("/" + did).body == document.body)
        }
    }

    @Test("an account that moves has another server in its document and its log, until it moves back")
    func move() async throws {
        try await withRepository(0) { carol in
            let did = RepositoryClient.did
            let document = try await carol.client.sandbox.get("/" + did)
            for pds: JSONValue in ["http://127.0.0.1:2583", "http://127.0.0.1:2583", .null] {
                _ = try await carol.client.change("accounts/update", ["did": .string(did), "pds": pds])
                let now = try await carol.client.sandbox.get("/" + did)
                let named = now.json["service"]?.array?.first?["serviceEndpoint"]
                #expect(pds == .null ? now.body == document.body : named == pds)
            }
            let servers = try await log(carol).map {
                $0["operation"]?["services"]?["atproto_pds"]?["endpoint"]
            }
            #expect(servers.count == 3 && servers[1] == "http://127.0.0.1:2583" && servers[2] == servers[0])
            let status = try await carol.client.sandbox.get("/xrpc/com.atproto.sync.getRepoStatus?did=\(did)")
            #expect(status.json["active"] == true)
        }
    }

    @Test("an unknown DID has no log, and other paths are not served")
    func unknown() async throws {
        try await withSandbox { sandbox in
            let escaped = PasswordClient.did.replacing(":", with: "%3A")
            for (path, status) in [
                ("/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/log/audit", 404), ("/\(PasswordClient.did)/other", 404),
                ("/\(escaped)/log/audit", 200),
            ] {
                let answer = try await sandbox.get(path)
                #expect(answer.status == status, "\(path)")
            }
        }
    }

    private func log(_ carol: RepositoryClient) async throws -> [JSONValue] {
        let answer = try await carol.client.sandbox.get("/\(RepositoryClient.did)/log/audit")
        #expect(answer.status == 200 && answer.header("content-type") == "application/json")
        return answer.json.array ?? []
    }

    private func key(in entry: JSONValue) -> String? {
        entry["operation"]?["verificationMethods"]?["atproto"]?.string
    }

    /// The key of the DID document, in the form of the log.
    private func named(_ carol: RepositoryClient) async throws -> String? {
        let document = try await carol.client.sandbox.get("/" + RepositoryClient.did).json
        let method = document["verificationMethod"]?.array?.first
        return method?["publicKeyMultibase"]?.string.map { "did:key:" + $0 }
    }

    private func change(_ carol: RepositoryClient, _ member: String, to value: Bool = true) async throws {
        var input: JSONValue = ["did": .string(RepositoryClient.did)]
        input.set(.bool(value), at: "/" + member)
        _ = try await carol.client.change("accounts/update", input)
    }
}
