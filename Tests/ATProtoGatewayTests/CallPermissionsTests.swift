import ATPNetworking
import ATProtoIdentity
import ATProtoXRPC
import BskyAuthCovers
import HTTPTypes
import Testing

@testable import ATProtoGateway

@Suite("CallPermissions") struct CallPermissionsTests {
    private func needed(
        _ method: XRPCMethod, _ nsid: String, _ body: String? = nil, _ fields: HTTPFields = [:]
    ) throws -> [String]? {
        CallPermissions.needed(
            for: XRPCRequest(
                method, try NSID(validating: nsid), body: body.map { .bytes(Array($0.utf8)) } ?? .none,
                headerFields: fields))?.map(\.description)
    }

    @Test(
        "writes need their actions in their collections", .covers("S8"),
        arguments: [
            ("createRecord", #"{"repo":"a","collection":"a.b.c"}"#, ["repo:a.b.c?action=create"]),
            ("deleteRecord", #"{"collection":"a.b.c"}"#, ["repo:a.b.c?action=delete"]),
            (
                "putRecord", #"{"collection":"a.b.c"}"#,
                ["repo:a.b.c?action=create", "repo:a.b.c?action=update"]
            ),
            (
                "applyWrites",
                #"{"writes":[{"$type":"com.atproto.repo.applyWrites#create","collection":"a.b.c"},"#
                    + #"{"$type":"com.atproto.repo.applyWrites#create","collection":"a.b.c"},"#
                    + #"{"$type":"com.atproto.repo.applyWrites#delete","collection":"a.b.d"}]}"#,
                ["repo:a.b.c?action=create", "repo:a.b.d?action=delete"]
            ),
            ("createRecord", #"{"collection":"*"}"#, nil), ("createRecord", "[", nil),
            ("applyWrites", "{}", nil),
        ] as [(String, String, [String]?)])
    func writes(method: String, body: String, scopes: [String]?) throws {
        #expect(try needed(.procedure, "com.atproto.repo.\(method)", body) == scopes)
    }

    @Test("calls of other services need the method there", .covers("S8", "X8"))
    func services() throws {
        let view = "did:web:api.bsky.app%23bsky_appview"
        let proxy = try #require(HTTPField.Name.atprotoProxy)
        #expect(
            try needed(.query, "app.bsky.feed.getTimeline") == ["rpc:app.bsky.feed.getTimeline?aud=\(view)"])
        #expect(
            try needed(.query, "app.bsky.feed.getFeed") == [
                "rpc:app.bsky.feed.getFeed?aud=\(view)", "rpc:app.bsky.feed.getFeedSkeleton?aud=\(view)",
            ])
        #expect(
            try needed(.query, "chat.bsky.convo.listConvos", nil, [proxy: "did:web:api.bsky.chat#bsky_chat"])
                == ["rpc:chat.bsky.convo.listConvos?aud=did:web:api.bsky.chat%23bsky_chat"])
        #expect(try needed(.query, "a.b.c", nil, [proxy: "did:web:x.example"]) == nil)
        for method in ["com.example.read", "chat.bsky.convo.listConvos", "com.atproto.server.getSession"] {
            #expect(try needed(.query, method) == nil)
        }
    }

    @Test("the PDS's own methods need its own permissions", .covers("S8"))
    func own() throws {
        for (nsid, scope) in [
            ("com.atproto.identity.updateHandle", "identity:handle"),
            ("com.atproto.identity.signPlcOperation", "identity:*"),
            ("com.atproto.repo.importRepo", "account:repo?action=manage"),
            ("com.atproto.server.requestEmailConfirmation", "account:email?action=manage"),
        ] { #expect(try needed(.procedure, nsid) == [scope]) }
        // Servers compare a media type as it is sent.
        for (type, scope) in [
            ("image/PNG; q=1", "blob:image/PNG"), ("image/svg+xml ;a=b", "blob:image/svg+xml"),
            ("image/a%41", "blob:image/a%2541"), ("image/*", nil), ("*/*", nil), ("image", nil),
        ] {
            let found = try needed(.procedure, "com.atproto.repo.uploadBlob", "x", [.contentType: type])
            #expect(found == scope.map { [$0] }, "\(type)")
        }
    }

    @Test("a device for notices needs the method at the service of its notices", .covers("S8"))
    func notices() throws {
        let proxy: HTTPFields = [try #require(HTTPField.Name.atprotoProxy): "did:web:x.example#y"]
        for method in ["registerPush", "unregisterPush"] {
            let nsid = "app.bsky.notification.\(method)"
            for fields in [[:], proxy] {
                #expect(
                    try needed(.procedure, nsid, #"{"serviceDid":"did:web:push.example"}"#, fields)
                        == ["rpc:\(nsid)?aud=did:web:push.example%23bsky_notif"])
                for body in ["{}", "[", #"{"serviceDid":"did:web:x#y"}"#, nil] {
                    #expect(try needed(.procedure, nsid, body, fields) == nil)
                }
            }
        }
    }
}
