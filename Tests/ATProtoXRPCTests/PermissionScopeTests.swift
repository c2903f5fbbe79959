import BskyAuthCovers
import BskyAuthTestSupport
import Testing

@testable import ATProtoIdentity
@testable import ATProtoXRPC

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

    @Test(
        "is read back from its text with the same meaning", .covers("S3"),
        arguments: [
            "repo:*", "repo:a.b.c?action=create", "repo?collection=a.b.c&collection=a.b.d&action=delete",
            "rpc:a.b.c?aud=*", "rpc?lxm=a.b.c&lxm=a.b.d&aud=did:web:localhost%253A80%23x",
            "rpc:*?aud=did:web:a.b%23x", "blob:*/*", "blob:image/svg+xml", "blob:a%2525b/*",
            "blob?accept=image/svg%2Bxml&accept=application/ld%2Bjson", "blob?accept=a%26b/c&accept=a/b%2525",
            "blob?accept=a/%23!$'%5E%60%7C~&accept=image/*", "account:email", "account:repo?action=manage",
            "identity:*", "identity:handle", "include:a.b.c", "include:a.b.c?aud=did:web:a.b%23x",
        ])
    func roundTrip(text: String) throws {
        let permission = try PermissionScope(validating: text)
        #expect(try PermissionScope(validating: permission.description) == permission, "\(permission)")
    }

    @Test("keeps different permissions apart", .covers("S4"))
    func different() throws {
        #expect(
            try PermissionScope(validating: "repo:*?action=create") != PermissionScope(validating: "repo:*"))
        #expect(
            try PermissionScope(validating: "account:email?action=manage")
                != PermissionScope(validating: "account:email"))
    }

    @Test("names the permission that a service token needs", .covers("S4", "X13"))
    func needed() throws {
        let method = try NSID(validating: "com.example.feed.read")
        for (audience, scope) in [
            ("did:web:a.example#feed", "rpc:com.example.feed.read?aud=did:web:a.example%23feed"),
            ("did:web:localhost%3A80#x", "rpc:com.example.feed.read?aud=did:web:localhost%253A80%23x"),
            ("did:web:a.example", "rpc:com.example.feed.read?aud=*"),
        ] {
            let audience = try ServiceAudience(validating: audience)
            #expect(PermissionScope.needed(for: method, at: audience).description == scope)
            let permission = try PermissionScope(validating: scope)
            guard case .service(let service) = audience else { continue }
            #expect(permission.allows(.needed(for: method, at: .service(service))))
            let other = try ServiceReference(validating: "did:web:a.example#other")
            #expect(!permission.allows(.needed(for: method, at: .service(other))))
            let writing = try NSID(validating: "com.example.feed.write")
            #expect(!permission.allows(.needed(for: writing, at: .service(service))))
        }
        for text in ["", "a", "#x", "did:web:a.example#", "did:web:a.example#a#b", "did:key:x#y"] {
            #expect(throws: InvalidServiceReference.self, "\(text)") { try ServiceAudience(validating: text) }
        }
    }
}
