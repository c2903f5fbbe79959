import ATProtoIdentity
import ATProtoXRPC
import Testing

@Suite("Files of records") struct RecordFilesTests {
    @Test(
        "are found in everything that a record names",
        arguments: [
            ("app.bsky.feed.post", ["image/*", "text/vtt", "video/mp4"]),
            ("app.bsky.actor.profile", ["image/jpeg", "image/png"]), ("app.bsky.feed.like", []),
            ("app.bsky.feed.getTimeline", []), ("com.example.thing", []),
        ])
    func types(collection: String, types: [String]) throws {
        #expect(RecordFiles.types(of: try NSID(validating: collection)) == types)
    }

    @Test("sets are found by the whole edition, and need an audience if they permit calls")
    func sets() throws {
        let all = PermissionSets.all
        #expect(all.count == 10 && all.map { "\($0.nsid)" } == all.map { "\($0.nsid)" }.sorted())
        let posts = try #require(PermissionSets.entry(try NSID(validating: "app.bsky.authCreatePosts")))
        #expect(posts.title == "Create Bluesky Posts" && posts.needsAudience)
        #expect(
            posts.scope(at: nil).description
                == "include:app.bsky.authCreatePosts?aud=did:web:api.bsky.app%23bsky_appview")
        let deletes = try #require(PermissionSets.entry(try NSID(validating: "app.bsky.authDeleteContent")))
        #expect(
            !deletes.needsAudience
                && deletes.scope(at: nil).description == "include:app.bsky.authDeleteContent")
        #expect(PermissionSets.entry(try NSID(validating: "app.bsky.feed.post")) == nil)
    }
}
