@testable import SandboxNetwork

/// Password sessions (7xx), recorded on cocoon and millipds.
enum PasswordWalks {
    static let all = [
        Walk(700, 701, 702, 703, 704, 705, 710, 711, 712, 713, 714) { stage in
            let client = PasswordClient(sandbox: stage.sandbox)
            let create = "/xrpc/com.atproto.server.createSession"
            let made = try await client.create("carol.pds.test", "hunter2")
            let tokens = try PasswordClient.tokens(in: made)
            return [
                700: made,
                701: try await client.create(PasswordClient.did, "hunter2"),
                702: try await client.create("carol.pds.test", "wrong"),
                703: try await client.create("nobody.example.com", "hunter2"),
                704: try await stage.sandbox.post(create, json: ["identifier": "carol.pds.test"]),
                705: try await WireClient.send(
                    "POST", stage.sandbox.origin + create, headers: [("content-type", "application/json")],
                    body: Array("{".utf8)),
                710: try await client.getSession(tokens.access),
                711: try await client.getSession(tokens.refresh),
                712: try await client.getSession("garbage"),
                713: try await client.getSession(TestKey.withBrokenSignature(tokens.access)),
                714: try await stage.sandbox.get(
                    "/xrpc/com.atproto.server.getSession",
                    headers: [("authorization", "bearer " + tokens.access)]),
            ]
        },
        Walk(715, 716, 717, 718, 719, 720, 721, 722, 723, 724) { stage in
            let client = PasswordClient(sandbox: stage.sandbox)
            let refresh = "com.atproto.server.refreshSession"
            let tokens = try await client.login()
            let withAccess = try await client.refresh(tokens.access)
            let first = try await client.refresh(tokens.refresh)
            let second = try PasswordClient.tokens(in: first)
            let reused = try await client.refresh(tokens.refresh)
            let newest = try await client.getSession(second.access)
            let again = try await client.refresh(second.refresh)
            let third = try PasswordClient.tokens(in: again)
            return [
                715: withAccess,
                716: try await WireClient.send("POST", stage.sandbox.origin + "/xrpc/" + refresh, body: []),
                717: try await client.refresh("garbage"),
                718: first,
                719: try await client.getSession(tokens.access),
                720: newest,
                721: reused,
                722: newest,
                723: again,
                724: try await client.call("POST", refresh, third.refresh, body: [:]),
            ]
        },
        Walk(740, 741, 742, 743, 744, 745, 746) { stage in
            let client = PasswordClient(sandbox: stage.sandbox)
            let (one, other) = (try await client.login(), try await client.login())
            return [
                740: try await client.delete(one.refresh),
                741: try await client.getSession(one.access),
                742: try await client.refresh(one.refresh),
                743: try await client.delete(other.access),
                744: try await client.getSession(other.access),
                745: try await client.refresh(other.refresh),
                746: try await WireClient.send(
                    "POST", stage.sandbox.origin + "/xrpc/com.atproto.server.deleteSession", body: []),
            ]
        },
        Walk(750, 751, 752, 753, 754, 755, 756, 757, 758, 759, 760) { stage in
            let client = PasswordClient(sandbox: stage.sandbox)
            let token = try await client.login().access
            let create = "com.atproto.repo.createRecord"
            let blob = try await client.call("POST", "com.atproto.repo.uploadBlob", token, body: "png")
            let cid = blob.json["blob"]?["ref"]?["$link"]?.string ?? ""
            let records = "com.atproto.repo.listRecords"
            return [
                750: try await client.call("POST", create, token, body: CallWalks.post),
                751: blob,
                752: try await client.call("POST", create, token, body: CallWalks.post),
                753: try await stage.sandbox.get(
                    "/xrpc/\(records)?repo=carol.pds.test&collection=app.bsky.feed.post&limit=10"),
                754: try await stage.sandbox.get(
                    "/xrpc/com.atproto.sync.getBlob?did=\(PasswordClient.did)&cid=\(cid)"),
                755: try await client.call(
                    "GET",
                    "com.atproto.server.getServiceAuth?aud=did:web:api.bsky.app&lxm=app.bsky.actor.getProfile",
                    token),
                756: try await client.call("GET", "com.example.nothing.here", token),
                757: try await stage.sandbox.get("/xrpc/" + records),
                758: try await client.call("POST", create, token, body: ["repo": "carol.pds.test"]),
                759: try await client.call("GET", create, token),
                760: try await stage.sandbox.post("/xrpc/" + create, json: CallWalks.post),
            ]
        },
    ]
}
