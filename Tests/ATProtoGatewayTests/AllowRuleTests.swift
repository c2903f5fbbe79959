import ATProtoIdentity
import ATProtoXRPC
import Testing

@testable import ATProtoGateway

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
        #expect(
            try AllowRule(validating: "repo?collection=app.bsky.feed.post&action=create")
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

    private static let view = "did:web:api.bsky.app%23bsky_appview"

    @Test("a permission set stands for what it permits, and for nothing outside of its own names")
    func sets() throws {
        let rules = try AllowRule.all(validating: "include:app.bsky.authCreatePosts?aud=\(Self.view)")
        let created = ["feed.post", "feed.postgate", "feed.threadgate"].map { "app.bsky.\($0)" }
        let names = Set(try created.map { PermissionScope.Name.nsid(try NSID(validating: $0)) })
        #expect(rules.contains(.writes(collections: names, actions: [.create])), "\(rules)")
        let calls = rules.compactMap { rule -> Set<PermissionScope.Name>? in
            guard case .calls(let methods, .service(.appView)) = rule else { return nil }
            return methods
        }
        #expect(calls.first?.count == 8 && rules.count == 2)
        let limits = AccessLimits(isReadOnly: false, rules: rules, services: [])
        let upload = XRPCRequest(.procedure, try NSID(validating: "com.atproto.repo.uploadBlob"))
        #expect(limits.verdict(on: upload) != .pass)
        let profile = XRPCRequest(.query, try NSID(validating: "app.bsky.actor.getProfile"))
        #expect(limits.verdict(on: profile) != .pass)
    }

    @Test("a set for which servers would grant nothing is no rule, nor is one that is not known here")
    func noSets() throws {
        let set = try NSID(validating: "app.bsky.authViewAll")
        #expect(throws: InvalidAllowRule.set(.noAudience(set))) {
            try AllowRule.all(validating: "include:app.bsky.authViewAll")
        }
        #expect(throws: InvalidAllowRule.set(.noSuchSet(try NSID(validating: "app.bsky.authViewAl")))) {
            try AllowRule.all(validating: "include:app.bsky.authViewAl?aud=\(Self.view)")
        }
        #expect(throws: InvalidAllowRule.unknownSet(try NSID(validating: "com.example.authBasic"))) {
            try AllowRule.all(validating: "include:com.example.authBasic")
        }
        for text in ["include:app.bsky.authViewAll?aud=*", "include:"] {
            #expect(throws: InvalidAllowRule.self) { try AllowRule.all(validating: text) }
        }
    }

    private func idleness(_ text: String, readOnly: Bool = false) throws -> IdleRule? {
        try AllowRule(validating: text).idleness(isReadOnly: readOnly)
    }

    @Test(
        "a rule lets nothing through if no lexicon has its methods, or if it only writes beside --read-only")
    func idle() throws {
        let unknown = try NSID(validating: "app.bsky.feed.getTimelin")
        #expect(try idleness(unknown.description) == .unknownMethod(unknown))
        #expect(try idleness("app.bsky.fed.*") == .noMethod)
        for text in [
            "com.atproto.repo.createRecord", "com.atproto.repo.CREATERECORD", "repo:*", "blob:*/*",
            "com.atproto.moderation.*",
            "com.atproto.server.getServiceAuth", "chat.bsky.convo.getConvoForMembers",
            "rpc:com.atproto.repo.createRecord?aud=*", "rpc:com.example.unknown?aud=*",
        ] {
            #expect(try idleness(text) == nil, "\(text)")
            #expect(try idleness(text, readOnly: true) == .changes, "\(text)")
        }
        let auth = "com.atproto.server.getServiceAuth"
        #expect(try idleness("rpc:\(auth)?aud=*") == .secrets([auth]))
        #expect(
            try idleness("com.atproto.space.*")
                == .secrets([
                    "com.atproto.space.getDelegationToken", "com.atproto.space.getSpaceCredential",
                    "com.atproto.space.authorizeSpaceSync",
                ]))
        #expect(try idleness("rpc?lxm=\(auth)&lxm=app.bsky.feed.getTimeline&aud=*") == nil)
        #expect(try idleness("com.atproto.server.*") == nil)
        for text in [
            "app.bsky.feed.getTimeline", "App.Bsky.Feed.*", "com.atproto.*",
            "rpc:app.bsky.feed.getTimeline?aud=*",
            "rpc:*?aud=did:web:api.bsky.app#bsky_appview",
        ] {
            #expect(try idleness(text, readOnly: true) == nil, "\(text)")
        }
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
