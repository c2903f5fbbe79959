import Covers
import TestSupport
import Testing

@testable import ATProto

@Suite("PermissionScope")
struct PermissionScopeTests {
    @Test("reads every valid vector", .covers("S4"), .needsVectors)
    func valid() throws {
        let vectors = try Vectors.lines("scopes/permission_scopes_valid")
        try #require(vectors.count >= 30)
        for text in vectors {
            #expect(throws: Never.self, "\(text)") { try PermissionScope(validating: text) }
        }
    }

    @Test("refuses every invalid vector", .covers("S4"), .needsVectors)
    func invalid() throws {
        let vectors = try Vectors.lines("scopes/permission_scopes_invalid")
        try #require(vectors.count >= 50)
        for text in vectors {
            #expect(throws: InvalidPermissionScope.self, "\(text)") { try PermissionScope(validating: text) }
        }
    }

    @Test(
        "takes two spellings of one permission for the same", .covers("S3"),
        arguments: [
            ("repo:com.example.foo", "repo?collection=com.example.foo"),
            ("repo:*?action=create&action=delete", "repo?action=delete&action=create&collection=*"),
            ("repo:*", "repo:*?action=update&action=create&action=delete"),
            ("rpc:com.example.m?aud=did:web:a.b%23x", "rpc?aud=did:web:a.b%23x&lxm=com.example.m"),
            ("account:email", "account:email?action=read"),
            ("blob:image/*", "blob?accept=image/*"),
        ])
    func equal(one: String, other: String) throws {
        #expect(try PermissionScope(validating: one) == PermissionScope(validating: other))
    }

    @Test("keeps different permissions apart", .covers("S4"))
    func different() throws {
        #expect(
            try PermissionScope(validating: "repo:*?action=create") != PermissionScope(validating: "repo:*"))
        #expect(
            try PermissionScope(validating: "account:email?action=manage")
                != PermissionScope(validating: "account:email"))
    }
}
