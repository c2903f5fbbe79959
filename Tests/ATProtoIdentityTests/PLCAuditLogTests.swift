import ATPJSON
import Testing

@testable import ATProtoIdentity

@Suite("PLCAuditLog") struct PLCAuditLogTests {
    private static let text = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
    private let did = DID(text)

    private func entry(
        _ operation: JSONValue, at time: String, did: String = text, isUndone: JSONValue = false
    ) -> JSONValue {
        ["did": .string(did), "operation": operation, "createdAt": .string(time), "nullified": isUndone]
    }

    private func operation(_ key: String?) -> JSONValue {
        let methods: JSONValue = key.map { ["atproto": .string("did:key:" + $0)] } ?? [:]
        return ["type": "plc_operation", "verificationMethods": methods]
    }

    private func log(_ entries: JSONValue) throws -> PLCAuditLog {
        let did = try #require(did)
        return try #require(PLCAuditLog(entries, of: did))
    }

    @Test("has each key from the operation that named it to the one that named the next")
    func keys() throws {
        let read = try log([
            // The first operations of the directory have this form.
            entry(["type": "create", "signingKey": "did:key:z1", "handle": "alice.test"], at: "2023-01-01"),
            entry(operation("z1"), at: "2023-02-01"), entry(operation("z2"), at: "2024-01-01"),
            entry(operation("z1"), at: "2025-01-01"),
        ])
        let keys = read.signingKeys
        #expect(keys.map(\.multikey) == ["z1", "z2", "z1"])
        #expect(keys.map(\.from) == ["2023-01-01", "2024-01-01", "2025-01-01"])
        #expect(keys.map(\.until) == ["2024-01-01", "2025-01-01", nil])
    }

    @Test("leaves out what was undone, and has no key where an operation names none")
    func without() throws {
        let read = try log([
            entry(operation("z1"), at: "2023-01-01"),
            entry(operation("zThief"), at: "2023-02-01", isUndone: true),
            entry(operation(nil), at: "2023-03-01"), entry(operation("z2"), at: "2023-04-01"),
            entry(["type": "plc_tombstone"], at: "2023-05-01"),
        ])
        #expect(read.signingKeys.map(\.multikey) == ["z1", "z2"])
        #expect(read.signingKeys.map(\.until) == ["2023-03-01", "2023-05-01"])
        #expect(try log([]).signingKeys.isEmpty)
    }

    @Test("is nothing else")
    func others() throws {
        let did = try #require(did)
        let wrong: [JSONValue] = [
            [:], "log", [["did": .string(Self.text)]], [entry("z1", at: "2023", isUndone: "no")],
            [entry(operation("z1"), at: "2023", did: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa")],
        ]
        for json in wrong { #expect(PLCAuditLog(json, of: did) == nil, "\(json.text)") }
    }
}
