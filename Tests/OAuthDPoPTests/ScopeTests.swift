import ATPJSON
import ATPNetworking
import BskyAuthCovers
import BskyAuthTestSupport
import OAuthDPoP
import Testing

@Suite("Scope") struct ScopeTests {
    @Test("keeps the order, and each token once", .covers("S1"))
    func order() {
        let scope = Scope("transition:generic  atproto atproto transition:generic")
        #expect(scope.values == ["transition:generic", "atproto"])
        #expect(scope.description == "transition:generic atproto")
        #expect(Scope("a b") != Scope("b a"))
        #expect(Scope("").values.isEmpty)
    }

    @Test("compares whole tokens")
    func contains() {
        let scope = Scope("atproto transition:generic")
        #expect(scope.contains("atproto"))
        #expect(!scope.contains("transition"))
        #expect(!scope.contains("ATPROTO"))
    }

    @Test("says what was not granted, but not of permission sets", .covers("S6"))
    func missing() {
        let requested = Scope("atproto repo:app.bsky.feed.post include:app.bsky.full blob:*/*")
        #expect(requested.missing(from: Scope("atproto repo:*")) == ["repo:app.bsky.feed.post", "blob:*/*"])
        #expect(requested.missing(from: requested).isEmpty)
    }
}

@Suite("LoopbackClientID") struct LoopbackClientIDTests {
    @Test("is the text that the recorded client sent", .covers("L1", "L3"))
    func recorded() throws {
        let client = LoopbackClientID.make(
            scope: Scope("atproto transition:generic"), redirectURI: LoopbackClientID.redirectURI(port: nil))
        #expect(
            client.description
                == "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback&scope=atproto%20transition%3Ageneric"
        )
        #expect(try Transcript(101).form?.single("client_id") == client.description)
    }

    @Test("redirects to the literal loopback address", .covers("L5", "L7"))
    func redirect() {
        #expect(LoopbackClientID.redirectURI(port: nil) == "http://127.0.0.1/callback")
        #expect(LoopbackClientID.redirectURI(port: 43117) == "http://127.0.0.1:43117/callback")
        #expect(LoopbackClientID.redirectPath == "/callback")
    }

    @Test("encodes what a scope has encoded once more", .covers("L2", "S3"))
    func encodesTwice() {
        let scope = Scope("atproto rpc:*?aud=did:web:api.bsky.app%23svc")
        let client = LoopbackClientID.make(scope: scope, redirectURI: "http://127.0.0.1/callback")
        #expect(client.description.contains("%2523svc"))
    }
}
