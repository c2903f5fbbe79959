import BskyAuthCovers
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
}
