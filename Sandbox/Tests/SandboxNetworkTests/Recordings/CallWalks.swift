@testable import SandboxNetwork

/// Identity, and calls of other methods than getSession (007-012, 430-461), recorded on cocoon alone.
enum CallWalks {
    static let all = [
        Walk(7, 8, 9, 10, 11, 12) { stage in
            let resolve = "/xrpc/com.atproto.identity.resolveHandle"
            return [
                7: try await stage.sandbox.get(
                    "/.well-known/atproto-did", headers: [("host", "nobody.pds.test")]),
                8: try await stage.sandbox.get(resolve + "?handle=carol.pds.test"),
                9: try await stage.sandbox.get(resolve + "?handle=nobody.example.com"),
                10: try await stage.sandbox.get(resolve + "?handle=not_a_handle"),
                11: try await stage.sandbox.get(resolve),
                12: try await stage.sandbox.get("/xrpc/com.atproto.server.describeServer"),
            ]
        },
        Walk(430, 431, 432, 433, 434, 435, 436, 437, 438) { stage in
            let (client, did) = (stage.client, PasswordClient.did)
            let token = try await client.login().access
            let made = try await client.procedure("com.atproto.repo.createRecord", token, post)
            let key = String((made.json["uri"]?.string ?? "").split(separator: "/").last ?? "")
            let query = "?repo=\(did)&collection=app.bsky.feed.post"
            let record = "/xrpc/com.atproto.repo.getRecord" + query + "&rkey="
            let blob = try await client.send(
                "POST", "/xrpc/com.atproto.repo.uploadBlob", type: "image/png", body: "png", token: token)
            let cid = blob.json["blob"]?["ref"]?["$link"]?.string ?? ""
            let getBlob = "/xrpc/com.atproto.sync.getBlob?did=\(did)&cid="
            return [
                430: made,
                431: try await stage.sandbox.get("/xrpc/com.atproto.repo.listRecords" + query),
                432: try await stage.sandbox.get(record + key),
                433: try await stage.sandbox.get(record + "3aaaaaaaaaa2a"),
                434: blob,
                435: try await client.procedure("com.atproto.repo.createRecord", token, post),
                436: try await stage.sandbox.get(getBlob + cid),
                437: try await stage.sandbox.get(getBlob + "bafkreiaaaa"),
                438: try await client.procedure(
                    "com.atproto.repo.deleteRecord", token,
                    ["repo": .string(did), "collection": "app.bsky.feed.post", "rkey": .string(key)]),
            ]
        },
        Walk(440, 441, 442, 443, 444, 445, 446, 447, 448, 449, 451) { stage in
            let client = stage.client
            let token = try await client.login().access
            let (unknown, create) = ("/xrpc/com.example.nothing.here", "/xrpc/com.atproto.repo.createRecord")
            var others = post
            others.set("dave.pds.test", at: "/repo")
            return [
                440: try await client.send("GET", unknown, token: token),
                441: try await client.procedure("com.example.nothing.here", token, [:]),
                442: try await stage.sandbox.get(unknown),
                443: try await client.send("GET", "/xrpc/com.atproto.server.nothing", token: token),
                444: try await stage.sandbox.get("/xrpc/com.atproto.repo.listRecords"),
                445: try await client.procedure(
                    "com.atproto.repo.createRecord", token, ["repo": "carol.pds.test"]),
                446: try await client.send(
                    "POST", create, type: "application/json", body: "{", token: token),
                447: try await client.procedure("com.atproto.repo.createRecord", token, others),
                448: try await client.send("GET", create, token: token),
                449: try await client.procedure("com.atproto.server.getSession", token, [:]),
                451: try await stage.sandbox.get("/nothing/here"),
            ]
        },
        Walk(450, 452, 453) { stage in
            let client = stage.client
            let token = try await client.login().access
            let path =
                "/xrpc/com.atproto.server.getServiceAuth?aud=did:web:example.test&lxm=com.example.nothing.here"
            return [
                450: try await client.send(
                    "GET",
                    "/xrpc/com.atproto.server.getServiceAuth?aud=did:web:api.bsky.app&lxm=app.bsky.actor.getProfile",
                    token: token),
                452: try await client.send("GET", path, token: token),
                453: try await client.send(
                    "GET", path, proof: Proof(url: stage.sandbox.origin + path), token: token),
            ]
        },
        Walk(460, 461) { stage in
            var client = stage.client
            client.scope = "atproto"
            client.clientID = "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback&scope=atproto"
            let token = try await client.login().access
            return [
                460: try await client.procedure("com.atproto.repo.createRecord", token, post),
                461: try await client.resource(token),
            ]
        },
    ]

    static let post: JSONValue = [
        "repo": "carol.pds.test", "collection": "app.bsky.feed.post",
        "record": ["$type": "app.bsky.feed.post", "text": "hello"],
    ]
}
