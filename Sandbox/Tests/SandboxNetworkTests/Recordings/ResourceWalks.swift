/// Requests at the PDS (4xx).
enum ResourceWalks {
    /// One login, then one request after the other. No request ends the session.
    static let all = [
        Walk(
            400, 401, 402, 403, 404, 405, 406, 407, 408, 410, 411, 412, 413, 414, 415, 416, 417, 418, 419,
            423, 424, 428
        ) { stage in
            let client = stage.client
            let tokens = try await client.login()
            let token = tokens.access
            let broken = TestKey.withBrokenSignature(token)
            let others = stage.sandbox.origin + "/xrpc/com.atproto.server.describeServer"
            return [
                400: try await stage.sandbox.get("/xrpc/com.atproto.server.getSession"),
                401: try await client.resource(token, proof: nil),
                402: try await client.resource(token, proof: .withoutNonce),
                403: try await client.resource(token),
                404: try await client.resource(
                    token, proof: Proof(nonce: .literal(String(repeating: "A", count: 43)))),
                405: try await client.resource(
                    token, proof: Proof(tokenHash: .literal(TestKey.hash("other")))),
                406: try await client.resource(token, proof: Proof(tokenHash: .absent)),
                407: try await client.resource(token, proof: Proof(url: others)),
                408: try await client.resource(token, proof: Proof(method: "POST")),
                410: try await client.resource(token, proof: Proof(key: TestKey())),
                411: try await client.resource("garbage"),
                412: try await client.resource(broken),
                413: try await client.resource(token, proof: nil, authorization: "Bearer " + token),
                414: try await client.resource(token, authorization: "dpop " + token),
                415: try await client.resource(token, proof: Proof(skew: -600)),
                416: try await client.resource(token, proof: Proof(skew: 600)),
                417: try await client.resource(token, proof: Proof(skew: -120)),
                418: try await client.resource(token, proof: Proof(skew: 30)),
                419: try await client.resource(tokens.refresh),
                423: try await client.resource(token, proof: Proof(skew: 5)),
                424: try await client.resource(token, proof: Proof(skew: -60)),
                428: try await client.resource(token, authorization: "DPoP \(token) extra"),
            ]
        },
        Walk(409) { stage in
            let client = stage.client
            let token = try await client.login().access
            let path = "/xrpc/com.atproto.server.getSession"
            let (now, nonce) = try await client.timeAndNonce(for: path)
            let text = Proof.right.text(
                client.key, method: "GET", url: stage.sandbox.origin + path, nonce: nonce, now: now,
                token: token)
            _ = try await client.resource(token, proof: Proof(literal: text))
            return [409: try await client.resource(token, proof: Proof(literal: text))]
        },
        Walk(420, 421, 422, 425) { stage in
            let client = stage.client
            let answer = try await client.exchange(try await client.grant())
            let tokens = try ScriptedClient.tokens(in: answer)
            let fresh = try await client.resource(tokens.access)
            try await stage.sandbox.advanceClock("61m")
            return [
                420: answer,
                421: fresh,
                422: try await client.resource(tokens.access),
                425: try await client.refresh(tokens.refresh),
            ]
        },
    ]
}
