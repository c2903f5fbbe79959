import Foundation
import Testing

@testable import ATProto

@Suite("PermissionScope")
struct PermissionScopeTests {
    private static func vectors(_ name: String) throws -> [String] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../shared/vectors/scopes/\(name)")
        guard FileManager.default.fileExists(atPath: file.path) else {
            if ProcessInfo.processInfo.environment["CI"] != nil {
                Issue.record("\(name) is not beside this checkout")
            }
            return []
        }
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.map(String.init)
    }

    @Test("reads every valid vector")
    func valid() throws {
        let vectors = try Self.vectors("permission_scopes_valid.txt")
        try #require(vectors.isEmpty || vectors.count >= 30)
        for text in vectors {
            #expect(throws: Never.self, "\(text)") { try PermissionScope(validating: text) }
        }
    }

    @Test("refuses every invalid vector")
    func invalid() throws {
        let vectors = try Self.vectors("permission_scopes_invalid.txt")
        try #require(vectors.isEmpty || vectors.count >= 50)
        for text in vectors {
            #expect(throws: InvalidPermissionScope.self, "\(text)") { try PermissionScope(validating: text) }
        }
    }

    @Test(
        "takes two spellings of one permission for the same",
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

    @Test("keeps different permissions apart")
    func different() throws {
        #expect(
            try PermissionScope(validating: "repo:*?action=create") != PermissionScope(validating: "repo:*"))
        #expect(
            try PermissionScope(validating: "account:email?action=manage")
                != PermissionScope(validating: "account:email"))
    }
}
