import Foundation
import Testing

@testable import SandboxNetwork

@Suite("Notifications")
struct NotificationTests {
    @Test("are the records of others that are about the account, newest first, until they are seen")
    func notifications() async throws {
        try await withSandbox { sandbox in
            let carol = try await Person("carol.pds.test", "hunter2", sandbox)
            let dave = try await Person("dave.pds.test", "other", sandbox)
            let post = try await carol.write("app.bsky.feed.post", ["text": "hello"])
            let subject: JSONValue = ["uri": .string(post), "cid": "bafyreiaaa"]
            let at: JSONValue = [
                "features": [["$type": "app.bsky.richtext.facet#mention", "did": .string(carol.did)]]
            ]
            var made: [String] = []
            for (collection, record) in [
                ("app.bsky.feed.like", ["subject": subject]),
                ("app.bsky.feed.repost", ["subject": subject]),
                ("app.bsky.graph.follow", ["subject": .string(carol.did)]),
                ("app.bsky.feed.post", ["text": "a", "reply": ["root": subject, "parent": subject]]),
                ("app.bsky.feed.post", ["text": "b", "embed": ["record": subject]]),
                ("app.bsky.feed.post", ["text": "c", "facets": [at]]),
            ] as [(String, JSONValue)] { made.append(try await dave.write(collection, record)) }
            // A post that is about no account, and a like by Carol herself.
            _ = try await dave.write("app.bsky.feed.post", ["text": "d"])
            _ = try await carol.write("app.bsky.feed.like", ["subject": subject])

            let all = try await carol.get("listNotifications").json
            let found = all["notifications"]?.array ?? []
            #expect(found.compactMap { $0["uri"]?.string } == made.reversed())
            #expect(
                found.compactMap { $0["reason"]?.string } == [
                    "mention", "quote", "reply", "follow", "repost", "like",
                ])
            #expect(found.last?["reasonSubject"]?.string == post)
            #expect(found.last?["author"]?["handle"] == "dave.pds.test" && found.last?["isRead"] == false)
            #expect(all["seenAt"] == nil && all["cursor"] == nil)
            let page = try await carol.get("listNotifications?limit=4").json
            let cursor = try #require(page["cursor"]?.string)
            let rest = try await carol.get("listNotifications?limit=4&cursor=\(FormBody.encoded(cursor))")
                .json
            #expect(rest["notifications"]?.array?.count == 2 && rest["cursor"] == nil)
            let liked = try await carol.get("listNotifications?reasons=like&reasons=repost").json
            #expect(liked["notifications"]?.array?.count == 2)
            #expect(try await carol.get("getUnreadCount").json["count"] == 6)
            #expect(try await dave.get("getUnreadCount").json["count"] == 0)

            #expect(try await carol.see("yesterday").status == 400)
            #expect(try await carol.see("2999-01-01T00:00:00.000Z").status == 200)
            #expect(try await carol.get("getUnreadCount").json["count"] == 0)
            let after = try await carol.get("listNotifications").json
            #expect(after["notifications"]?.array?.allSatisfy { $0["isRead"] == true } == true)
            #expect(after["seenAt"]?.string?.hasPrefix("2999-01-01T00:00:00") == true)
        }
    }

    @Test("and every method of the PDS are in the README, and no other one")
    func readme() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let section = try #require(text.split(separator: "## ").first { $0.hasPrefix("Methods\n") })
        let listed = section.matches(of: /`((?:com|app|chat)\.[\w.]+)`/).map { String($0.output.1) }
        let folder = root.appending(path: "Sources/SandboxNetwork/PersonalDataServer")
        var known: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let source = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            for found in source.matches(
                of: /"((?:com|app|chat)\.[\w.]+)": XRPCMethod\(|let \w+ = "(app\.bsky\.notification\.\w+)"/)
            {
                known.insert(String(found.output.1 ?? found.output.2 ?? ""))
            }
        }
        #expect(known.count > 25)
        #expect(Set(listed) == known && listed == listed.sorted())
    }

    private struct Person {
        let did: String
        private let client: ScriptedClient
        private let token: String

        init(_ handle: String, _ password: String, _ sandbox: RunningSandbox) async throws {
            let session = try await sandbox.post(
                "/xrpc/com.atproto.server.createSession",
                json: ["identifier": .string(handle), "password": .string(password)]
            ).json
            did = try #require(session["did"]?.string)
            token = try #require(session["accessJwt"]?.string)
            client = ScriptedClient(sandbox: sandbox)
        }

        func get(_ method: String) async throws -> WireAnswer {
            try await client.sandbox.get(
                "/xrpc/app.bsky.notification." + method, headers: [("authorization", "Bearer " + token)])
        }

        func see(_ date: String) async throws -> WireAnswer {
            try await post("app.bsky.notification.updateSeen", ["seenAt": .string(date)])
        }

        func write(_ collection: String, _ record: JSONValue) async throws -> String {
            var record = record
            record.set(.string(collection), at: "/$type")
            let answer = try await post(
                "com.atproto.repo.createRecord",
                ["repo": .string(did), "collection": .string(collection), "record": record])
            return try #require(answer.json["uri"]?.string, "\(answer.text)")
        }

        private func post(_ method: String, _ input: JSONValue) async throws -> WireAnswer {
            try await WireClient.send(
                "POST", client.sandbox.origin + "/xrpc/" + method,
                headers: [("authorization", "Bearer " + token), ("content-type", "application/json")],
                body: Array(input.text.utf8))
        }
    }
}
