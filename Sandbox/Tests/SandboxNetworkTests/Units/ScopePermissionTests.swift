import Testing

@testable import SandboxNetwork

@Suite("Scopes")
struct ScopePermissionTests {
    @Test(
        "known syntax", .covers("S1", "S4"),
        arguments: [
            "atproto", "transition:generic", "repo:*", "repo:app.bsky.feed.post?action=create&action=delete",
            "repo?collection=a.b.c&collection=d.e.f", "rpc:app.bsky.feed.getTimeline?aud=did:web:x.y%23svc",
            "rpc:a.b.c?aud=*",
            "blob:*/*", "blob?accept=video/*&accept=text/html", "account:email?action=manage", "identity:*",
            "include:com.example.set",
        ])
    func valid(text: String) {
        #expect(ScopePermission(text) != nil)
    }

    @Test(
        "unknown syntax", .covers("S3"),
        arguments: [
            "foo:bar", "repo", "repo:", "repo:app", "repo:a.b.c?action=read", "repo:a.b.c?collection=d.e.f",
            "rpc:a.b.c", "rpc:*?aud=*", "rpc:a.b.c?aud=did:web:x.y", "blob:image", "account:name",
            "identity:did",
            "transition:all",
        ])
    func invalid(text: String) {
        #expect(ScopePermission(text) == nil)
    }

    @Test("what each allows", .covers("S2"))
    func permissions() {
        let scope = ScopeSet(
            "atproto repo:a.b.c?action=create rpc:d.e.f?aud=did:web:x%23s blob:image/* account:email")
        #expect(scope.allowsWrite("create", in: "a.b.c"))
        #expect(!scope.allowsWrite("delete", in: "a.b.c"))
        #expect(!scope.allowsWrite("create", in: "a.b.d"))
        #expect(scope.allowsCall("d.e.f", audience: "did:web:x#s"))
        #expect(!scope.allowsCall("d.e.f", audience: "did:web:y#s"))
        #expect(scope.allowsBlob("image/png") && !scope.allowsBlob("text/plain"))
        #expect(scope.allowsEmail)
        #expect(
            !ScopeSet("atproto transition:generic").allowsCall("chat.bsky.convo.x", audience: "did:web:x#s"))
    }
}
