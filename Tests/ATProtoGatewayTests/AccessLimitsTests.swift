import ATPNetworking
import ATProtoIdentity
import ATProtoXRPC
import HTTPTypes
import Testing

@testable import ATProtoGateway

/// A request line such as `GET app.bsky.feed.getTimeline?limit=5`, and its header fields.
func call(_ line: String, _ fields: HTTPFields = [:], body: String? = nil) throws -> XRPCRequest {
    let parts = line.split(separator: " ")
    let request = GatewayRequest(
        method: try #require(HTTPRequest.Method(rawValue: String(parts[0]))), target: "/xrpc/\(parts[1])",
        headerFields: fields, body: body.map { .bytes(Array($0.utf8)) } ?? .none)
    return try request.call()
}

private func limiting(readOnly: Bool = false, _ rules: String..., services: String...) throws -> AccessLimits
{
    AccessLimits(
        isReadOnly: readOnly, rules: try rules.map { try AllowRule(validating: $0) },
        services: try services.map { try ServiceReference(validating: $0) })
}

private func passes(_ line: String, _ limits: AccessLimits) throws -> Bool { try passes(line, [:], limits) }

private func passes(_ line: String, _ fields: HTTPFields, _ limits: AccessLimits) throws -> Bool {
    limits.verdict(on: try call(line, fields)) == .pass
}

private let toAppView: HTTPFields = [HTTPField.Name("atproto-proxy")!: "did:web:api.bsky.app#bsky_appview"]
private let toChat: HTTPFields = [HTTPField.Name("atproto-proxy")!: "did:web:api.bsky.chat#bsky_chat"]

@Suite("AccessLimits") struct AccessLimitsTests {
    @Test("without limits everything passes, to any service")
    func none() throws {
        let limits = try limiting()
        #expect(try passes("POST com.atproto.repo.createRecord", limits))
        #expect(try passes("GET com.example.unknown", toChat, limits))
        #expect(try passes("GET com.atproto.server.getServiceAuth?aud=did:web:a.example", limits))
    }

    @Test("--read-only lets known queries through, in any spelling, and to the AppView")
    func readOnly() throws {
        let limits = try limiting(readOnly: true)
        for line in [
            "GET app.bsky.feed.getTimeline?limit=5", "HEAD app.bsky.feed.getTimeline",
            "GET app.bsky.feed.GETTIMELINE", "GET chat.bsky.convo.listConvos",
        ] {
            #expect(try passes(line, limits), "\(line)")
        }
        #expect(try passes("GET app.bsky.feed.getTimeline", toAppView, limits))
        #expect(try !passes("GET app.bsky.feed.getTimeline", toChat, limits))
        #expect(
            try passes(
                "GET app.bsky.feed.getTimeline", toChat,
                limiting(readOnly: true, services: "did:web:api.bsky.chat#bsky_chat")))
    }

    @Test(
        "--read-only refuses what may do more than read",
        arguments: [
            "POST com.atproto.repo.createRecord", "POST app.bsky.feed.getTimeline",
            "GET com.atproto.repo.createRecord",
            "GET com.atproto.server.getServiceAuth?aud=did:web:a.example&lxm=app.bsky.feed.getTimeline",
            "GET com.atproto.server.getServiceAuth?aud=did:web:a.example",
            "GET com.atproto.server.GETSERVICEAUTH",
            "GET Com.Atproto.Server.getServiceAuth", "HEAD com.atproto.server.getServiceAuth",
            "GET chat.bsky.convo.getConvoForMembers?members=did:web:a.example",
            "GET chat.bsky.convo.getconvoformembers", "GET com.example.unknownQuery",
            "POST com.example.unknown",
        ])
    func writes(_ line: String) throws {
        #expect(try !passes(line, limiting(readOnly: true)))
        // A rule that names the method does not widen --read-only.
        #expect(
            try !passes(
                line,
                limiting(
                    readOnly: true, "com.atproto.server.getServiceAuth", "com.atproto.*", "app.bsky.*",
                    "chat.bsky.*")))
    }

    @Test("--allow lets the named methods through, and nothing else")
    func names() throws {
        let limits = try limiting("app.bsky.feed.*", "com.atproto.repo.createRecord")
        #expect(try passes("GET app.bsky.feed.getTimeline", limits))
        #expect(try passes("GET app.bsky.feed.unknownQuery", limits))
        #expect(try passes("POST com.atproto.repo.createRecord", limits))
        #expect(try passes("POST com.atproto.repo.CREATERECORD", limits))
        for line in [
            "GET com.atproto.repo.getRecord", "POST com.atproto.repo.deleteRecord",
            "POST com.atproto.repo.applyWrites",
            "GET app.bsky.feeds.getTimeline", "POST app.bsky.feed.getTimeline",
            "GET com.atproto.repo.createRecord",
            "POST com.atproto.repo.uploadBlob", "GET app.bsky.actor.getProfile",
        ] {
            #expect(try !passes(line, limits), "\(line)")
        }
        #expect(try !passes("GET app.bsky.feed.getTimeline", toChat, limits))
    }

    @Test("--read-only --allow lets through what both allow")
    func both() throws {
        let limits = try limiting(readOnly: true, "app.bsky.feed.*", "com.atproto.repo.createRecord")
        #expect(try passes("GET app.bsky.feed.getTimeline", limits))
        #expect(try !passes("POST com.atproto.repo.createRecord", limits))
        #expect(try !passes("GET com.atproto.repo.getRecord", limits))
    }

    @Test("an rpc permission allows its method at its service")
    func calls() throws {
        let limits = try limiting("rpc:app.bsky.feed.getTimeline?aud=did:web:api.bsky.app%23bsky_appview")
        #expect(try passes("GET app.bsky.feed.getTimeline", limits))
        #expect(try passes("GET app.bsky.feed.getTimeline", toAppView, limits))
        #expect(try !passes("GET app.bsky.feed.getTimeline", toChat, limits))
        #expect(try !passes("GET app.bsky.feed.getAuthorFeed", limits))
        let any = try limiting("rpc:*?aud=did:web:api.bsky.app%23bsky_appview")
        #expect(try passes("GET app.bsky.feed.getAuthorFeed", any))
        for line in [
            "POST com.atproto.repo.createRecord", "POST com.atproto.identity.updateHandle",
            "GET com.atproto.repo.getRecord",
        ] {
            #expect(try !passes(line, any), "the PDS carries \(line) out itself")
            #expect(try !passes(line, toAppView, any))
        }
        let chat = try limiting("rpc:chat.bsky.convo.listConvos?aud=did:web:api.bsky.chat%23bsky_chat")
        #expect(try passes("GET chat.bsky.convo.listConvos", toChat, chat))
        #expect(try !passes("GET chat.bsky.convo.listConvos", chat))
    }

    @Test("a blob permission allows uploads of its types")
    func blobs() throws {
        let limits = try limiting("blob:image/*", "blob:text/plain")
        for type in ["image/png", "IMAGE/PNG", "text/plain; charset=utf-8"] {
            #expect(try passes("POST com.atproto.repo.uploadBlob", [.contentType: type], limits), "\(type)")
        }
        for type in ["video/mp4", "imagex/png", "text/html", ""] {
            #expect(try !passes("POST com.atproto.repo.uploadBlob", [.contentType: type], limits), "\(type)")
        }
        #expect(try !passes("POST app.bsky.video.uploadVideo", [.contentType: "image/png"], limits))
    }

    @Test("a service token needs a rule with its whole name, and rules for its method")
    func serviceTokens() throws {
        let named = "com.atproto.server.getServiceAuth"
        let limits = try limiting(
            named, "rpc:app.bsky.video.uploadVideo?aud=did:web:video.example%23video", "app.bsky.feed.*")
        for query in [
            "aud=did:web:video.example&lxm=app.bsky.video.uploadVideo",
            "aud=did:web:b.example&lxm=app.bsky.feed.getTimeline",
            "lxm=app.bsky.video.uploadVideo&aud=did:web:video.example%23video&exp=60",
        ] {
            #expect(try passes("GET \(named)?\(query)", limits), "\(query)")
        }
        for query in [
            "aud=did:web:video.example", "lxm=app.bsky.video.uploadVideo",
            "aud=did:web:b.example&lxm=com.atproto.repo.createRecord",
            "aud=did:web:b.example&lxm=app.bsky.video.uploadVideo", "aud=did:web:b.example&lxm=*",
            "aud=did:web:b.example&lxm=app.bsky.feed.getTimeline&lxm=com.atproto.repo.createRecord",
            "aud=did:web:b.example&lxm=com.atproto.repo.createRecord&lxm=app.bsky.feed.getTimeline",
            "aud=did:web:b.example&lxm=app.bsky.feed.getTimeline&lxm%5B%5D=com.atproto.repo.createRecord",
            "aud=did:web:b.example&lxm%5B%5D=app.bsky.feed.getTimeline",
            "aud=did:web:b.example&lxm=app.bsky.feed.getTimeline&LXM=x",
            "aud=did:web:b.example&lxm=\(named)", "aud=a&aud=b&lxm=app.bsky.feed.getTimeline",
            "aud=did:web:b.example&lxm=app.bsky.feed.getTimeline&exp=60&exp=3600",
        ] {
            #expect(try !passes("GET \(named)?\(query)", limits), "\(query)")
        }
        let group = try limiting("com.atproto.server.*", "app.bsky.feed.*")
        #expect(try !passes("GET \(named)?aud=did:web:b.example&lxm=app.bsky.feed.getTimeline", group))
    }

    @Test(
        "a method that gives out a secret needs a rule with its whole name",
        arguments: [
            "com.atproto.space.getDelegationToken", "com.atproto.space.getSpaceCredential",
            "com.atproto.space.authorizeSpaceSync",
        ])
    func secrets(name: String) throws {
        let lines = ["GET", "POST"].flatMap { verb in
            [name, name.uppercased(), name.lowercased()].map { "\(verb) \($0)?space=x" }
        }
        let service = "rpc:\(name)?aud=*"
        for rule in [
            "com.atproto.space.*", "com.atproto.*", service,
        ] {
            let limits = try limiting(rule)
            for line in lines { #expect(try !passes(line, limits), "\(line) by \(rule)") }
        }
        for line in lines {
            // The whole name stands in upper or lower case.
            #expect(try passes(line, limiting(name.lowercased())), "\(line)")
        }
        #expect(try passes("GET com.atproto.space.listSpaces", limiting("com.atproto.space.*")))
        // A service token for such a method would be as good as the secret.
        let auth = "com.atproto.server.getServiceAuth"
        let both = try limiting(auth, name)
        #expect(try !passes("GET \(auth)?aud=did:web:b.example&lxm=\(name)", both))
    }
}
