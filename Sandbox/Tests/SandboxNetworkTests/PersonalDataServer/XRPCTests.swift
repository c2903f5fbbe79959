import Testing

@testable import SandboxNetwork

@Suite("XRPC at the PDS")
struct XRPCTests {
    @Test("records are created, read, listed by page, replaced and deleted", .covers("F11"))
    func records() async throws {
        try await loggedIn { client, token, did in
            var uris: [String] = []
            for number in 0..<5 {
                let made = try await client.procedure(
                    "com.atproto.repo.createRecord", token,
                    Self.post("post \(number)", repo: "carol.pds.test"))
                #expect(made.status == 200)
                #expect(made.json["cid"]?.string?.hasPrefix("bafyrei") == true)
                uris.append(made.json["uri"]?.string ?? "")
            }
            #expect(uris.allSatisfy { $0.hasPrefix("at://\(did)/app.bsky.feed.post/") })
            let list = "/xrpc/com.atproto.repo.listRecords?repo=\(did)&collection=app.bsky.feed.post&limit=2"
            var seen: [String] = []
            var cursor: String?
            repeat {
                let page = try await client.sandbox.get(list + (cursor.map { "&cursor=\($0)" } ?? "")).json
                seen += page["records"]?.array?.compactMap { $0["uri"]?.string } ?? []
                cursor = page["cursor"]?.string
            } while cursor != nil
            #expect(seen == uris.reversed())
            let key = try #require(uris[0].split(separator: "/").last)
            let query = "repo=\(did)&collection=app.bsky.feed.post&rkey=\(key)"
            let record = try await client.sandbox.get("/xrpc/com.atproto.repo.getRecord?" + query)
            #expect(record.json["value"]?["text"] == "post 0")
            let target: JSONValue = [
                "repo": .string(did), "collection": "app.bsky.feed.post", "rkey": .string(String(key)),
            ]
            var replacement = target
            replacement.set(["text": "changed"], at: "/record")
            #expect(
                try await client.procedure("com.atproto.repo.putRecord", token, replacement).status == 200)
            let changed = try await client.sandbox.get("/xrpc/com.atproto.repo.getRecord?" + query)
            #expect(changed.json["value"]?["text"] == "changed")
            #expect(try await client.procedure("com.atproto.repo.deleteRecord", token, target).status == 200)
            let gone = try await client.sandbox.get("/xrpc/com.atproto.repo.getRecord?" + query)
            #expect(gone.status == 400 && gone.error == "RecordNotFound")
            let described = try await client.sandbox.get(
                "/xrpc/com.atproto.repo.describeRepo?repo=carol.pds.test")
            #expect(described.json["collections"] == ["app.bsky.feed.post"])
        }
    }

    @Test("the timeline pages through everybody's posts, newest first")
    func timeline() async throws {
        try await loggedIn { client, token, _ in
            for number in 0..<3 {
                _ = try await client.procedure(
                    "com.atproto.repo.createRecord", token,
                    Self.post("post \(number)", repo: "carol.pds.test"))
            }
            let path = "/xrpc/app.bsky.feed.getTimeline?limit=2"
            let first = try await client.send("GET", path, token: token)
            #expect(
                first.json["feed"]?.array?.map { $0["post"]?["record"]?["text"] } == ["post 2", "post 1"])
            let cursor = try #require(first.json["cursor"]?.string)
            let second = try await client.send("GET", path + "&cursor=\(cursor)", token: token)
            #expect(second.json["feed"]?.array?.count == 1)
            #expect(second.json["cursor"] == nil)
            let profile = try await client.send(
                "GET", "/xrpc/app.bsky.actor.getProfile?actor=carol.pds.test", token: token)
            #expect(profile.json["postsCount"] == 3)
        }
    }

    @Test("blobs come back byte for byte, under the CID of their bytes", .covers("X7", "F12"))
    func blobs() async throws {
        try await loggedIn { client, token, did in
            let text = String(repeating: "blob ", count: 100_000)
            let made = try await client.send(
                "POST", "/xrpc/com.atproto.repo.uploadBlob", type: "image/png", body: text, token: token)
            #expect(made.status == 200)
            let blob = try #require(made.json["blob"])
            #expect(blob["mimeType"] == "image/png" && blob["size"] == 500_000 && blob["$type"] == "blob")
            let cid = try #require(blob["ref"]?["$link"]?.string)
            #expect(cid.hasPrefix("bafkrei"))
            let back = try await client.sandbox.get("/xrpc/com.atproto.sync.getBlob?did=\(did)&cid=\(cid)")
            #expect(back.text == text)
            #expect(back.header("content-type") == "image/png")
        }
    }

    @Test("an upload with a wrong proof is answered before its body is there", .covers("R60"))
    func earlyRefusal() async throws {
        try await loggedIn { client, token, _ in
            for proof in ["not.a.proof", nil] {
                let headers = [
                    ("authorization", "DPoP " + token), ("content-type", "image/png"),
                ]
                let answer = try await WireClient.send(
                    "POST", client.sandbox.origin + "/xrpc/com.atproto.repo.uploadBlob",
                    headers: headers + (proof.map { [("dpop", $0)] } ?? []), body: [],
                    promising: 1_000_000, ending: false)
                #expect(answer.status == 401 && answer.error != nil, "\(answer.text)")
            }
        }
    }

    @Test("the blobs of an account are those that its records refer to, by page and since a revision")
    func listedBlobs() async throws {
        try await loggedIn { client, token, did in
            let list = "/xrpc/com.atproto.sync.listBlobs?did=\(did)"
            func cids(_ more: String = "") async throws -> [String] {
                try await client.sandbox.get(list + more).json["cids"]?.array?.compactMap(\.string) ?? []
            }
            var made: [String] = []
            var revisions: [String] = []
            for number in 0..<3 {
                let blob = try await client.send(
                    "POST", "/xrpc/com.atproto.repo.uploadBlob", type: "image/png", body: "blob \(number)",
                    token: token
                ).json["blob"]
                let cid = try #require(blob?["ref"]?["$link"]?.string)
                #expect(try await !cids().contains(cid), "nothing refers to it yet")
                var post = Self.post("post \(number)", repo: "carol.pds.test")
                post.set(["images": [["image": try #require(blob), "alt": ""]]], at: "/record/embed")
                let answer = try await client.procedure("com.atproto.repo.createRecord", token, post)
                #expect(answer.status == 200, "\(answer.text)")
                made.append(cid)
                revisions.append(answer.json["commit"]?["rev"]?.string ?? "")
            }
            #expect(try await cids() == made.sorted())
            #expect(try await cids("&since=\(revisions[0])") == made[1...].sorted())
            #expect(try await cids("&since=\(revisions[2])").isEmpty)
            let first = try await client.sandbox.get(list + "&limit=2").json
            let cursor = try #require(first["cursor"]?.string)
            #expect(try await cids("&limit=2&cursor=\(cursor)") == [made.max()])
            let unknown = try await client.sandbox.get("/xrpc/com.atproto.sync.listBlobs?did=did:plc:nobody")
            #expect(unknown.status == 400 && unknown.error == "RepoNotFound")
            #expect(try await client.sandbox.get(list + "&limit=1001").status == 400)
        }
    }

    @Test("a blob above the limit is refused", .covers("X4"))
    func blobLimit() async throws {
        try await withSandbox({ $0.blobLimit = 1000 }) { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let token = try await client.login().access
            let answer = try await client.send(
                "POST", "/xrpc/com.atproto.repo.uploadBlob", type: "text/plain",
                body: String(repeating: "x", count: 1001), token: token)
            #expect(answer.status == 413 && answer.error == "PayloadTooLarge")
        }
    }

    @Test("an upload that ends before its Content-Length is refused, and nothing is kept")
    func cutUpload() async throws {
        try await withPasswords { client in
            let token = try await client.login().access
            let answer = try? await WireClient.send(
                "POST",
                client.sandbox.origin + "/xrpc/com.atproto.repo.uploadBlob",
                headers: [("authorization", "Bearer " + token), ("content-type", "text/plain")],
                body: Array("half".utf8),
                promising: 8
            )
            #expect(answer?.status != 200)
            let whole = try await client.sandbox.get(
                "/xrpc/com.atproto.sync.getBlob?did=\(PasswordClient.did)&cid=\(Self.cidOfHalf)")
            #expect(whole.status == 400 && whole.error == "BlobNotFound")
            let lines = try await client.sandbox.journal().filter {
                $0["path"] == "/xrpc/com.atproto.repo.uploadBlob"
            }
            #expect(lines.count == 1)
            #expect(lines.allSatisfy { $0["status"] == 400 && $0["error"] == "InvalidRequest" })
        }
    }

    /// The CID that a stored "half" would have.
    private static let cidOfHalf = ContentIdentifier(blobDigest: SHA256.digest(of: "half".utf8)).text

    @Test("a browser's preflight is answered, and is no call")
    func preflight() async throws {
        try await withSandbox { sandbox in
            let headers = [
                ("origin", "https://app.example"), ("access-control-request-method", "POST"),
                ("access-control-request-headers", "authorization,dpop"),
            ]
            for path in ["/oauth/token", "/xrpc/com.atproto.repo.createRecord"] {
                let answer = try await WireClient.send("OPTIONS", sandbox.origin + path, headers: headers)
                #expect(answer.status == 204 && answer.body.isEmpty)
                #expect(answer.header("access-control-allow-origin") == "*")
                #expect(answer.header("access-control-allow-headers")?.lowercased().contains("dpop") == true)
            }
        }
    }

    @Test("granular scopes allow what they name; what is missing is named", .covers("S8"))
    func scopes() async throws {
        try await withSandbox { sandbox in
            var client = ScriptedClient(sandbox: sandbox)
            client.scope = "atproto repo:app.bsky.feed.post?action=create blob:image/*"
            client.clientID =
                "http://localhost?"
                + FormBody.encoded([("redirect_uri", "http://127.0.0.1/callback"), ("scope", client.scope)])
            let token = try await client.login().access
            let allowed = Self.post("hello", repo: "carol.pds.test")
            #expect(try await client.procedure("com.atproto.repo.createRecord", token, allowed).status == 200)
            var other = allowed
            other.set("app.bsky.feed.like", at: "/collection")
            let refused = try await client.procedure("com.atproto.repo.createRecord", token, other)
            #expect(refused.status == 403 && refused.error == "ScopeMissingError")
            #expect(
                refused.json["message"] == "Missing required scope \"repo:app.bsky.feed.like?action=create\"")
            let blob = try await client.send(
                "POST", "/xrpc/com.atproto.repo.uploadBlob", type: "text/plain", body: "x", token: token)
            #expect(blob.json["message"] == "Missing required scope \"blob:text/plain\"")
            let call = try await client.send("GET", "/xrpc/app.bsky.feed.getTimeline", token: token)
            #expect(call.status == 403)
        }
    }

    @Test(
        "what the wire may not carry is refused in the reference server's words", .covers("R60", "X1", "X3"))
    func refusals() async throws {
        try await loggedIn { client, token, did in
            let missing = try await client.sandbox.get(
                "/xrpc/com.atproto.repo.getRecord?repo=\(did)&collection=a.b.c")
            #expect(missing.json["message"] == "Error: Params must have the property \"rkey\"")
            let verb = try await client.send("GET", "/xrpc/com.atproto.repo.createRecord", token: token)
            #expect(verb.status == 400)
            #expect(verb.json["message"] == "Incorrect HTTP method (GET) expected POST")
            let empty = try await client.send("POST", "/xrpc/com.atproto.repo.createRecord", token: token)
            #expect(empty.json["message"] == "A request body is expected but none was provided")
            let type = try await client.send(
                "POST", "/xrpc/com.atproto.repo.createRecord", type: "text/plain", body: "{}", token: token)
            #expect(
                type.status == 400
                    && type.json["message"]?.string?.hasPrefix("Wrong request encoding") == true)
            let limit = try await client.sandbox.get(
                "/xrpc/com.atproto.repo.listRecords?repo=\(did)&collection=a.b.c&limit=101")
            #expect(limit.status == 400)
            let stranger = try await client.procedure(
                "com.atproto.repo.createRecord", token, Self.post("x", repo: "dave.pds.test"))
            #expect(stranger.status == 401)
            let unknown = try await client.sandbox.get(
                "/xrpc/com.atproto.identity.resolveHandle?handle=nobody.test")
            #expect(unknown.status == 400 && unknown.json["message"] == "Unable to resolve handle")
            let resolved = try await client.sandbox.get(
                "/xrpc/com.atproto.identity.resolveHandle?handle=carol.pds.test")
            #expect(resolved.json["did"] == .string(did))
        }
    }

    @Test("rate-limit headers count down; open methods have no nonce")
    func headers() async throws {
        try await withSandbox { sandbox in
            let path = "/xrpc/com.atproto.server.describeServer"
            let first = try await sandbox.get(path)
            let second = try await sandbox.get(path)
            #expect(first.header("ratelimit-limit") == "3000")
            #expect(first.header("ratelimit-policy") == "3000;w=300")
            #expect(first.header("ratelimit-remaining") == "2999")
            #expect(second.header("ratelimit-remaining") == "2998")
            #expect(first.nonce == nil)
            let head = try await WireClient.send("HEAD", sandbox.origin + path)
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    private static func post(_ text: String, repo: String) -> JSONValue {
        [
            "repo": .string(repo), "collection": "app.bsky.feed.post",
            "record": ["$type": "app.bsky.feed.post", "text": .string(text)],
        ]
    }

    private func loggedIn(
        _ body: @escaping @Sendable (ScriptedClient, _ token: String, _ did: String) async throws -> Void
    ) async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let answer = try await client.exchange(try await client.grant())
            let did = answer.json["sub"]?.string ?? ""
            try await body(client, try ScriptedClient.tokens(in: answer).access, did)
        }
    }
}

extension ScriptedClient {
    /// Calls a procedure with a JSON body.
    func procedure(_ nsid: String, _ token: String, _ input: JSONValue) async throws -> WireAnswer {
        try await send("POST", "/xrpc/" + nsid, type: "application/json", body: input.text, token: token)
    }
}
