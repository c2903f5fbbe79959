import Testing

@testable import SandboxNetwork

@Suite("Several writes in one commit")
struct ApplyWritesTests {
    private typealias Step = RepositoryClient

    @Test("creates, updates and deletes in one commit, and says what became of each", .covers("F11"))
    func allKinds() async throws {
        try await withRepository(2) { carol in
            let before = try await carol.latestCommit()
            let answer = try await carol.apply([
                Step.step("create", "new", text: "a"), Step.step("update", "key0", text: "b"),
                Step.step("delete", "key1"), Step.step("create", nil, text: "c"),
            ])
            #expect(answer.status == 200, "\(answer.text)")
            #expect(
                answer.json["commit"] == (try await carol.latestCommit()) && answer.json["commit"] != before)
            let results = try #require(answer.json["results"]?.array)
            let kinds = ["create", "update", "delete", "create"]
            #expect(
                results.map { $0["$type"]?.string }
                    == kinds.map { "com.atproto.repo.applyWrites#\($0)Result" })
            #expect(results[2].members?.count == 1)
            for index in [0, 1, 3] {
                #expect(results[index]["validationStatus"] == "unknown")
            }
            let uri = "at://\(RepositoryClient.did)/app.bsky.feed.post/"
            #expect(results[0]["uri"]?.string == uri + "new" && results[1]["uri"]?.string == uri + "key0")
            #expect(results[3]["uri"]?.string?.count == uri.count + 13)
            for (index, key, text) in [(0, "new", "a"), (1, "key0", "b")] {
                let record = try await carol.record(key)
                #expect(record["value"]?["text"]?.string == text && record["cid"] == results[index]["cid"])
            }
            #expect(try await carol.record("key1")["error"] == "RecordNotFound")
            var reader = try await carol.repository()
            #expect(try reader.records().count == 3)
        }
    }

    @Test("without validation there is no word about it")
    func unvalidated() async throws {
        try await withRepository(0) { carol in
            let answer = try await carol.apply([Step.step("create", "a", text: "a")], ["validate": false])
            let result = try #require(answer.json["results"]?.array?.first)
            #expect(answer.status == 200 && result["uri"] != nil && result["validationStatus"] == nil)
        }
    }

    @Test(
        "carries out nothing if one write fails",
        arguments: [
            (Step.step("create", "key0", text: "a"), 500, "InternalServerError"),
            (Step.step("update", "none", text: "a"), 500, "InternalServerError"),
            (Step.step("delete", "none"), 500, "InternalServerError"),
            (Step.step("create", "a b", text: "a"), 400, "InvalidRequest"),
            (Step.step("update", nil, text: "a"), 400, "InvalidRequest"),
            (Step.step("delete", nil), 400, "InvalidRequest"),
            (Step.step("create", "a"), 400, "InvalidRequest"),
            (Step.step("purge", "key0"), 400, "InvalidRequest"),
            (["collection": "app.bsky.feed.post", "value": [:]], 400, "InvalidRequest"),
            (["$type": "com.atproto.repo.applyWrites#create", "value": [:]], 400, "InvalidRequest"),
            (5, 400, "InvalidRequest"),
        ] as [(JSONValue, Int, String)])
    func allOrNothing(step: JSONValue, status: Int, error: String) async throws {
        try await withRepository(1) { carol in
            let before = try await carol.latestCommit()
            let answer = try await carol.apply([Step.step("create", "new", text: "a"), step])
            #expect(answer.status == status && answer.error == error, "\(answer.text)")
            #expect(try await carol.latestCommit() == before)
            #expect(try await carol.record("new")["error"] == "RecordNotFound")
        }
    }

    @Test("a later write sees what the earlier ones did")
    func order() async throws {
        try await withRepository(1) { carol in
            let answer = try await carol.apply([
                Step.step("delete", "key0"), Step.step("create", "key0", text: "a"),
                Step.step("update", "key0", text: "b"),
            ])
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await carol.record("key0")["value"]?["text"] == "b")
            let twice = [Step.step("create", "a", text: "a"), Step.step("create", "a", text: "a")]
            #expect(try await carol.apply(twice).status == 500)
        }
    }

    @Test("is refused if another commit was made since the one that it names")
    func swap() async throws {
        try await withRepository(1) { carol in
            let before = try #require(try await carol.latestCommit()["cid"])
            #expect(
                try await carol.apply([Step.step("create", "a", text: "a")], ["swapCommit": before]).status
                    == 200)
            let refused = try await carol.apply([Step.step("create", "b", text: "b")], ["swapCommit": before])
            let now = try await carol.latestCommit()["cid"]?.string ?? ""
            #expect(refused.status == 400 && refused.error == "InvalidSwap")
            #expect(refused.json["message"]?.string == "Commit was at \(now)")
        }
    }

    @Test("takes 200 writes and no more")
    func most() async throws {
        try await withRepository(0) { carol in
            func steps(_ count: Int) -> [JSONValue] {
                (0..<count).map { Step.step("create", "key\($0)", text: "a") }
            }
            let refused = try await carol.apply(steps(201))
            #expect(refused.status == 400 && refused.json["message"] == "Too many writes. Max: 200")
            let taken = try await carol.apply(steps(200))
            #expect(taken.status == 200 && taken.json["results"]?.array?.count == 200)
        }
    }

    @Test("needs the permission for each action and collection", .covers("S8"))
    func scopes() async throws {
        try await withSandbox { sandbox in
            var client = ScriptedClient(sandbox: sandbox)
            client.scope = "atproto repo:app.bsky.feed.post?action=create&action=delete repo:com.example.note"
            client.clientID =
                "http://localhost?"
                + FormBody.encoded([("redirect_uri", "http://127.0.0.1/callback"), ("scope", client.scope)])
            let token = try await client.login().access
            func apply(_ writes: [JSONValue], repo: String = "carol.pds.test") async throws -> WireAnswer {
                try await client.procedure(
                    "com.atproto.repo.applyWrites", token,
                    ["repo": .string(repo), "writes": .array(writes)])
            }
            let create = Step.step("create", "key", text: "a")
            var note = Step.step("create", "key", text: "a")
            note.set("com.example.note", at: "/collection")
            #expect(try await apply([create, note]).status == 200)
            let update = try await apply([Step.step("delete", "key"), Step.step("update", "key", text: "b")])
            #expect(update.status == 403 && update.error == "ScopeMissingError")
            #expect(
                update.json["message"] == "Missing required scope \"repo:app.bsky.feed.post?action=update\"")
            var like = create
            like.set("app.bsky.feed.like", at: "/collection")
            #expect(
                try await apply([note, like]).json["message"]
                    == "Missing required scope \"repo:app.bsky.feed.like?action=create\"")
            #expect(try await apply([create], repo: "dave.pds.test").status == 401)
        }
    }
}
