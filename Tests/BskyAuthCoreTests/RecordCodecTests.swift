import ATPCryptography
import ATPJSON
import ATProtoSessions
import BskyAuthCovers
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("RecordCodec") struct RecordCodecTests {
    private let account: Account
    private let session: Session

    init() throws {
        account = try World.account(label: "wörk")
        session = try World.session(state: .uncertain, lastError: "refresh_refused")
    }

    private func json(_ record: SecretBytes) throws -> JSONObject {
        try #require(try JSONParser.parse(record.bytes).object)
    }

    private func secret(_ json: JSONObject) -> SecretBytes {
        SecretBytes(Array(JSONValue.object(json).text.utf8))
    }

    @Test("a profile comes back as it was", arguments: [false, true]) func profiles(isSparse: Bool) throws {
        let account = isSparse ? try World.account(handle: nil, devNetwork: "http://127.0.0.1:2583") : account
        #expect(try Account(record: account.record) == account)
    }

    @Test("a profile of an earlier version belongs to the dev network at its PDS, or to the real network")
    func olderProfile() throws {
        for dev in ["http://127.0.0.1:2583", nil] {
            let account = try World.account(devNetwork: dev)
            var record = try json(account.record)
            record["dev_network_url"] = nil
            #expect(try Account(record: secret(record)) == account)
        }
    }

    @Test("a session comes back as it was", .covers("R70", "B3", "F6"), arguments: [false, true])
    func sessions(isSparse: Bool) throws {
        let session = isSparse ? try World.session(refresh: false) : session
        let found = try Session(record: session.record)
        #expect(found.credential.oauth?.client == session.credential.oauth?.client)
        #expect(found.credential.oauth?.issuer == session.credential.oauth?.issuer)
        #expect(found.createdAt == session.createdAt)
        #expect(found.accessToken == session.accessToken && found.refreshToken == session.refreshToken)
        #expect(found.accessExpiresAt == session.accessExpiresAt && found.obtainedAt == session.obtainedAt)
        #expect(found.scope == session.scope)
        #expect(found.credential.oauth?.key.thumbprint == session.credential.oauth?.key.thumbprint)
        #expect(found.state == session.state && found.lastError == session.lastError)
    }

    @Test("a session keeps the scope that was asked for, and need not have one", .covers("S6"))
    func requestedScope() throws {
        let asked = "atproto  include:com.example.auth?aud=did:web:a.example%23b"
        var record = try json(session.record)
        #expect(record["asked"] == nil && session.requestedScope == nil)
        record["asked"] = .string(asked)
        let found = try Session(record: secret(record))
        #expect(found.requestedScope == asked)
        #expect(try json(found.record)["asked"]?.string == asked)
        #expect(found.withoutTokens.requestedScope == asked)
        record["asked"] = [1]
        #expect(throws: UnreadableRecord(member: "asked")) { try Session(record: secret(record)) }
        for (length, isKept) in [(8192, true), (8193, false)] {
            record["asked"] = .string(String(repeating: "a", count: length))
            #expect((try Session(record: secret(record)).requestedScope != nil) == isKept)
        }
    }

    @Test("a session of a confidential client keeps the name of the client's key", .covers("R80"))
    func clientKey() throws {
        let client = Client(
            ClientID("https://app.example/client.json"), authentication: .privateKeyJWT(keyID: "k1"))
        let session = try World.session(client: client)
        #expect(try Session(record: session.record).credential.oauth?.client == client)
        #expect(try json(self.session.record)["client_key_id"] == nil)
    }

    @Test("every member that is missing or of another kind is named", .covers("B3")) func members() throws {
        let optional: Set = ["handle", "label", "dev_network_url", "refresh_token", "last_error"]
        for (record, read) in [
            (account.record, { _ = try Account(record: $0) }),
            (session.record, { _ = try Session(record: $0) }),
        ] as [(SecretBytes, (SecretBytes) throws -> Void)] {
            let whole = try json(record)
            #expect(whole.members.count >= 8)
            for member in whole.members {
                var wrong = whole
                wrong[member.name] = [1]
                #expect(throws: UnreadableRecord(member: member.name)) { try read(secret(wrong)) }
                var without = whole
                without[member.name] = nil
                if optional.contains(member.name) {
                    #expect(throws: Never.self) { try read(secret(without)) }
                } else {
                    #expect(throws: UnreadableRecord(member: member.name)) { try read(secret(without)) }
                }
            }
        }
    }

    @Test("another version is not guessed at", .covers("F6"), arguments: [0, 2] as [Int64]) func version(
        number: Int64
    )
        throws
    {
        var json = try json(session.record)
        json["version"] = JSONValue(number)
        #expect(throws: UnreadableRecord(member: "version")) { try Session(record: secret(json)) }
        #expect(throws: UnreadableRecord(member: "version")) {
            try Account(record: SecretBytes(Array("no json".utf8)))
        }
    }

    @Test("a state or key that is none is refused", .covers("B14")) func values() throws {
        for (name, value) in [
            ("state", "excellent"), ("dpop_key", #"{"kty":"EC"}"#), ("issuer", "https://a/b"),
            ("auth", "trust"),
        ] {
            var json = try json(session.record)
            json[name] = .string(value)
            #expect(throws: UnreadableRecord(member: name)) { try Session(record: secret(json)) }
        }
        for (name, value) in [
            ("did", "did:x:y"), ("handle", "-"), ("pds", "x"), ("id", "1"),
        ] {
            var json = try json(account.record)
            json[name] = .string(value)
            #expect(throws: UnreadableRecord(member: name)) { try Account(record: secret(json)) }
        }
    }

    @Test(
        "a date is one of the years 1970 to 9999, or the record is unreadable",
        arguments: [Int64.min, -1, 253_402_300_800, Int64.max])
    func dates(seconds: Int64) throws {
        for name in ["created_at", "access_expires_at", "obtained_at"] {
            var json = try json(session.record)
            json[name] = JSONValue(seconds)
            #expect(throws: UnreadableRecord(member: name)) { try Session(record: secret(json)) }
            json[name] = 253_402_300_799
            #expect(throws: Never.self) { try Session(record: secret(json)).record }
        }
        var added = try json(account.record)
        added["added_at"] = JSONValue(seconds)
        #expect(throws: UnreadableRecord(member: "added_at")) { try Account(record: secret(added)) }
    }
}
