import BskyAuthCovers
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("GrantedScope") struct GrantedScopeTests {
    private func missing(_ granted: String, _ requested: String) -> [String] {
        GrantedScope.missing(from: Scope(granted), requested: Scope(requested))
    }

    @Test("names what was asked for and not granted", .covers("R48")) func missing() {
        #expect(missing("atproto", "atproto transition:generic") == ["transition:generic"])
        #expect(missing("atproto repo:a.b.c", "atproto repo:a.b.d") == ["repo:a.b.d"])
        #expect(missing("atproto repo:a.b.c?action=create", "atproto repo:a.b.c") == ["repo:a.b.c"])
    }

    @Test("takes another spelling, and what a permission set stands for, as granted", .covers("S6"))
    func spelling() {
        #expect(missing("atproto repo?collection=a.b.c", "repo:a.b.c atproto") == [])
        #expect(missing("atproto repo:a.b.c", "atproto include:a.b.full") == [])
    }
}
