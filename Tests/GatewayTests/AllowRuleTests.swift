import ATProto
import Testing

@testable import Gateway

@Suite("AllowRule") struct AllowRuleTests {
    @Test("reads methods, groups of methods, and permissions that a request shows")
    func forms() throws {
        let timeline = try NSID(validating: "app.bsky.feed.getTimeline")
        #expect(try AllowRule(validating: "app.bsky.feed.getTimeline") == .method(timeline))
        #expect(try AllowRule(validating: "App.Bsky.feed.*") == .methods(prefix: "app.bsky.feed."))
        #expect(try AllowRule(validating: "app.bsky.*") == .methods(prefix: "app.bsky."))
        let post = PermissionScope.Name.nsid(try NSID(validating: "app.bsky.feed.post"))
        #expect(
            try AllowRule(validating: "repo:app.bsky.feed.post?action=create")
                == .writes(collections: [post], actions: [.create]))
        #expect(try AllowRule(validating: "blob:image/*") == .blobs(accept: ["image/*"]))
        #expect(
            try AllowRule(validating: "rpc:app.bsky.feed.getTimeline?aud=*")
                == .calls(methods: [.nsid(timeline)], audience: .any))
    }

    @Test(
        "refuses what would allow more or less than it says",
        arguments: [
            "*", "app.*", ".*", "app.bsky.feed.get*", "app.bsky.*.getTimeline", "app.bsky.feed.",
            "getTimeline", "",
            "app.bsky.feed.getTimeline ", "app..bsky.*", "app.bsky.feed.*.*",
        ])
    func names(_ text: String) {
        #expect(throws: InvalidAllowRule.name) { try AllowRule(validating: text) }
    }

    @Test("refuses permissions that no single request shows, and broken ones")
    func permissions() {
        for text in ["account:email", "identity:handle", "include:com.example.set"] {
            #expect(throws: InvalidAllowRule.kind) { try AllowRule(validating: text) }
        }
        for text in [
            "repo:", "repo:app.bsky.feed.post?action=read", "rpc:*?aud=*", "other:thing", "atproto:",
        ] {
            #expect(throws: InvalidAllowRule.self) { try AllowRule(validating: text) }
        }
    }
}
