import ATPJSON
import ATProtoIdentity
import ATProtoLexicons
import BskyAuthCovers
import Testing

@testable import ATProtoXRPC

@Suite("SetExpansion") struct SetExpansionTests {
    private static let service = "did:web:api.example.com#thing"

    private func expand(
        _ permissions: String, audience: String? = nil, of set: String = "com.example.calendar.auth"
    ) throws -> SetExpansion {
        let list = try #require(try JSONParser.parse("[\(permissions)]").array)
        return SetExpansion(
            list.compactMap { permission in
                permission.object.map { JSONObject([.init(name: "type", value: "permission")] + $0.members) }
            }, of: try NSID(validating: set),
            audience: try audience.map { try ServiceReference(validating: $0) })
    }

    @Test(
        "the published sets permit so many calls, and so many writes to collections", .covers("S11"),
        arguments: [
            ("app.bsky.authFullApp", 100, 14, 3), ("app.bsky.authViewAll", 69, 0, 0),
            ("app.bsky.authCreatePosts", 8, 3, 1), ("app.bsky.authDeleteContent", 0, 5, 1),
            ("app.bsky.authManageProfile", 0, 3, 3), ("app.bsky.authManageFeedDeclarations", 0, 1, 3),
            ("app.bsky.authManageLabelerService", 0, 1, 3), ("app.bsky.authManageModeration", 8, 2, 3),
            ("app.bsky.authManageNotifications", 10, 0, 0), ("chat.bsky.authFullChatClient", 39, 1, 3),
        ])
    func published(name: String, methods: Int, collections: Int, actions: Int) throws {
        let set = try NSID(validating: name)
        let audience = try ServiceReference(validating: Self.service)
        let expansion = try #require(SetExpansion(set, audience: audience))
        #expect(expansion.losses == [])
        #expect(Self.counts(expansion) == [methods, collections])
        for case .repo(_, let allowed) in expansion.permissions { #expect(allowed.count == actions) }
        for case .rpc(_, let service) in expansion.permissions { #expect(service == .service(audience)) }
        // Without the audience, only the writes remain.
        let bare = try #require(SetExpansion(set, audience: nil))
        #expect(Self.counts(bare) == [0, collections])
        #expect(bare.losses.map(\.reason) == (methods == 0 ? [] : [.noAudience]))
    }

    private static func counts(_ expansion: SetExpansion) -> [Int] {
        expansion.permissions.reduce(into: [0, 0]) { counts, permission in
            switch permission {
            case .rpc(let methods, _): counts[0] += methods.count
            case .repo(let collections, _): counts[1] += collections.count
            default: break
            }
        }
    }

    @Test("no other document is a set")
    func noSet() throws {
        for name in ["app.bsky.feed.post", "app.bsky.authNothing", "com.example.calendar.auth"] {
            #expect(SetExpansion(try NSID(validating: name), audience: nil) == nil)
        }
    }

    @Test("reads what servers read")
    func granted() throws {
        let expansion = try expand(
            """
            {"resource":"rpc","aud":"*","lxm":["com.example.calendar.list"]},
            {"resource":"rpc","inheritAud":true,"lxm":["com.example.calendar.list","com.example.calendar.a.b"]},
            {"resource":"repo","collection":["com.example.calendar.event"]},
            {"resource":"repo","collection":["com.example.calendar.event"],"action":["delete","create"]}
            """, audience: Self.service)
        #expect(expansion.losses == [])
        let texts = [
            "rpc:com.example.calendar.list?aud=*",
            "rpc?lxm=com.example.calendar.list&lxm=com.example.calendar.a.b&aud=did:web:api.example.com%23thing",
            "repo:com.example.calendar.event",
            "repo:com.example.calendar.event?action=create&action=delete",
        ]
        #expect(expansion.permissions == (try texts.map { try PermissionScope(validating: $0) }))
    }

    @Test(
        "drops a permission as a whole, and tells why", .covers("S11"),
        arguments: [
            (#"{"resource":"blob","accept":["image/*"]}"#, SetExpansion.Loss.Reason.resource("blob")),
            (#"{"resource":"account","attr":"email"}"#, .resource("account")),
            (#"{"resource":"identity","attr":"*"}"#, .resource("identity")),
            (#"{"resource":"space"}"#, .resource("space")),
            (
                #"{"resource":"rpc","aud":"*","lxm":["com.example.calendar.a"],"description":"x"}"#,
                .member("description")
            ),
            (
                #"{"resource":"rpc","aud":"*","lxm":["com.example.calendar.a"],"collection":[]}"#,
                .member("collection")
            ),
            (#"{"resource":"rpc","aud":"*","lxm":"com.example.calendar.a"}"#, .value("lxm")),
            (#"{"resource":"rpc","aud":"*","lxm":[]}"#, .value("lxm")),
            (#"{"resource":"rpc","aud":"*","lxm":["*"]}"#, .value("lxm")),
            (#"{"resource":"rpc","aud":"*","lxm":["com.example.calendar.*"]}"#, .value("lxm")),
            (#"{"resource":"rpc","aud":"*"}"#, .value("lxm")),
            (#"{"resource":"rpc","lxm":["com.example.calendar.a"]}"#, .value("aud")),
            (
                #"{"resource":"rpc","aud":"did:web:a.example#b","lxm":["com.example.calendar.a"]}"#,
                .value("aud")
            ),
            (
                #"{"resource":"rpc","aud":"*","inheritAud":true,"lxm":["com.example.calendar.a"]}"#,
                .value("aud")
            ),
            (
                #"{"resource":"rpc","aud":"*","inheritAud":false,"lxm":["com.example.calendar.a"]}"#,
                .value("inheritAud")
            ),
            (#"{"resource":"rpc","inheritAud":true,"lxm":["com.example.calendar.a"]}"#, .noAudience),
            (
                #"{"resource":"rpc","aud":"*","lxm":["com.example.calendar.a","com.example.other.a"]}"#,
                .foreign("com.example.other.a")
            ),
            (#"{"resource":"repo","collection":["com.example.event"]}"#, .foreign("com.example.event")),
            (
                #"{"resource":"repo","collection":["com.Example.calendar.a"]}"#,
                .foreign("com.Example.calendar.a")
            ),
            (
                #"{"resource":"repo","collection":["com.example.calendars.a"]}"#,
                .foreign("com.example.calendars.a")
            ),
            (
                #"{"resource":"repo","collection":["com.atproto.lexicon.schema"]}"#,
                .foreign("com.atproto.lexicon.schema")
            ),
            (
                #"{"resource":"repo","collection":["com.example.calendar.a"],"action":"create"}"#,
                .value("action")
            ),
            (
                #"{"resource":"repo","collection":["com.example.calendar.a"],"action":["read"]}"#,
                .value("action")
            ),
            (#"{"resource":"repo","collection":["com.example.calendar.a"],"action":[]}"#, .value("action")),
            (#"{"resource":"repo","collection":["com.example.calendar.a"],"aud":"*"}"#, .member("aud")),
        ])
    func dropped(permission: String, reason: SetExpansion.Loss.Reason) throws {
        let expansion = try expand(permission)
        #expect(expansion.permissions == [] && expansion.losses.map(\.reason) == [reason], "\(permission)")
        // A permission beside it stays.
        let beside = try expand(
            #"\#(permission),{"resource":"repo","collection":["com.example.calendar.ok"]}"#)
        #expect(beside.permissions.count == 1 && beside.losses == [.init(index: 0, reason: reason)])
    }
}
