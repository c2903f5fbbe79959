import ATProtoIdentity
import ATProtoXRPC
import BskyAuthCovers
import Testing

@Suite("RequestedScope") struct RequestedScopeTests {
    private static let view = "did:web:api.bsky.app%23bsky_appview"

    @Test(
        "finds the faults for which servers grant nothing, and the right form", .covers("S4", "S5"),
        arguments: [
            ("include:app.bsky.authViewAll", "include:app.bsky.authViewAll?aud=\(view)"),
            ("include?nsid=app.bsky.authViewAll", "include:app.bsky.authViewAll?aud=\(view)"),
            ("include:app.bsky.authFullApp?aud=*", "include:app.bsky.authFullApp?aud=\(view)"),
            (
                "include:chat.bsky.authFullChatClient?aud=*",
                "include:chat.bsky.authFullChatClient?aud=did:web:api.bsky.chat%23bsky_chat"
            ),
            (
                "include:app.bsky.authFullApp?aud=did:web:api.bsky.app",
                "include:app.bsky.authFullApp?aud=\(view)"
            ),
            ("include:com.example.auth?aud=*", nil),
            ("include:com.example.auth?aud=did:web:example.com", nil),
            (
                "rpc:app.bsky.feed.getTimeline?aud=did:web:api.bsky.app",
                "rpc:app.bsky.feed.getTimeline?aud=\(view)"
            ),
            ("rpc:com.example.read?aud=did:web:example.com", nil),
            ("rpc:com.example.read?aud=example", nil),
            ("rpc:*?aud=*", nil), ("rpc:*?aud=did:web:example.com", nil),
            ("include:app.bsky.authNothing", nil), ("include:com.atproto.authNothing", nil),
            ("include:app.bsky.feed.post", nil), ("include:tools.ozone.authNothing?aud=\(view)", nil),
            ("include:authViewAll", nil), ("repo:app.bsky.*", nil), ("rpos:app.bsky.feed.post", nil),
            ("repo:app.bsky.feed.post?verb=create", nil), ("transition:genric", nil), ("openid", nil),
            ("a\"b", nil), ("é", nil), ("", nil),
        ] as [(String, String?)])
    func faults(text: String, form: String?) throws {
        let fault = #expect(throws: RequestedScope.Fault.self) { try RequestedScope(validating: text) }
        let found = RequestedScope.corrected(text, try #require(fault))
        #expect(found?.description == form)
        // The right form has no fault.
        if let form { _ = try RequestedScope(validating: form) }
    }

    @Test("tells apart the reasons", .covers("S4"))
    func reasons() throws {
        let set = try NSID(validating: "app.bsky.authViewAll")
        for (text, fault) in [
            ("include:app.bsky.authViewAll", .noAudience(set)),
            ("include:app.bsky.authViewSome", .noSuchSet(try NSID(validating: "app.bsky.authViewSome"))),
            ("include:app.bsky.authViewAll?aud=*", .permission(.audience("*"))),
            ("repo:a.b.c?x=y", .permission(.unknownParameter("x"))),
            ("other", .permission(.resource)), ("repo", .permission(.missing("collection"))),
            ("é", .character),
        ] as [(String, RequestedScope.Fault)] {
            #expect(throws: fault) { try RequestedScope(validating: text) }
        }
    }

    @Test("knows what a set grants, and what of it is lost", .covers("S9", "S11"))
    func meanings() throws {
        for word in ["atproto", "transition:generic", "transition:email", "transition:chat.bsky"] {
            #expect(try RequestedScope(validating: word) == .word)
        }
        let repo = "repo:app.bsky.feed.post?action=create"
        #expect(
            try RequestedScope(validating: repo)
                == .permissions([try PermissionScope(validating: repo)], losses: []))
        guard
            case .permissions(let permissions, let losses) =
                try RequestedScope(validating: "include:app.bsky.authCreatePosts")
        else {
            Issue.record("the set is known")
            return
        }
        #expect(permissions.count == 1 && losses.map(\.reason) == [.noAudience])
        #expect(
            try RequestedScope(validating: "include:com.example.calendar.auth")
                == .unknown(try NSID(validating: "com.example.calendar.auth")))
        #expect(try RequestedScope(validating: "space:com.example.forum") == .unknown(nil))
        // The reference server takes these.
        for text in [
            "account:status", "account?attr=status&action=manage", "account:email?action=read&action=manage",
        ] {
            #expect(try RequestedScope(validating: text) == .unknown(nil), "\(text)")
        }
    }

    @Test(
        "is extended by what is needed, or by the audience that a set of it lacks", .covers("S8"),
        arguments: [
            (["repo:a.b.c"], ["repo:a.b.d"], ["repo:a.b.c", "repo:a.b.d"]),
            (
                ["repo:a.b.c"], ["repo:a.b.c?action=create", "blob:image/png"],
                ["repo:a.b.c", "blob:image/png"]
            ),
            (
                ["include:app.bsky.authViewAll", "blob:*/*"], ["rpc:app.bsky.feed.getTimeline?aud=\(view)"],
                ["include:app.bsky.authViewAll?aud=\(view)", "blob:*/*"]
            ),
            (
                ["include:app.bsky.authCreatePosts"], ["rpc:app.bsky.feed.getTimeline?aud=\(view)"],
                ["include:app.bsky.authCreatePosts", "rpc:app.bsky.feed.getTimeline?aud=\(view)"]
            ),
            // A server may have an older copy of the set.
            (
                ["include:app.bsky.authViewAll?aud=\(view)"], ["rpc:app.bsky.feed.getTimeline?aud=\(view)"],
                ["include:app.bsky.authViewAll?aud=\(view)", "rpc:app.bsky.feed.getTimeline?aud=\(view)"]
            ),
            (
                ["include:app.bsky.authViewAll"], ["rpc:app.bsky.feed.getTimeline?aud=*"],
                ["include:app.bsky.authViewAll", "rpc:app.bsky.feed.getTimeline?aud=*"]
            ),
        ])
    func extended(values: [String], needed: [String], result: [String]) throws {
        let permissions = try needed.map { try PermissionScope(validating: $0) }
        #expect(RequestedScope.extended(values, by: permissions) == result)
    }
}
