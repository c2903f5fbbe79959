import ATProtoOAuth
import BskyAuthCovers
import OAuthDPoP
import Testing

@Suite("Granted values of a scope") struct GrantedValuesTests {
    @Test("says what was not granted, but not of permission sets", .covers("S6"))
    func missing() {
        let requested = Scope("atproto repo:app.bsky.feed.post include:app.bsky.full blob:*/*")
        #expect(requested.missing(from: Scope("atproto repo:*")) == ["repo:app.bsky.feed.post", "blob:*/*"])
        #expect(requested.missing(from: requested).isEmpty)
    }
}
