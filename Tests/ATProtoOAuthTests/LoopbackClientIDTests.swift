import ATPJSON
import ATPNetworking
import ATProtoOAuth
import BskyAuthCovers
import BskyAuthTestSupport
import OAuthDPoP
import Testing

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
