import ATPNetworking
import ATProtoIdentity
import ATProtoXRPC
import ArgumentParser
import BskyAuthCovers
import HTTPTypes
import Testing

@testable import BskyAuthCLI

@Suite("Services of a call") struct ServiceOptionTests {
    private func fields(_ arguments: String...) throws -> [String] {
        let command = try #require(try BskyAuth.parseAsRoot(["call", "a.b.get"] + arguments) as? CallCommand)
        return try command.request(owner: nil).headerFields.map { "\($0.name.rawName): \($0.value)" }
    }

    @Test("the well-known ones have names", .covers("X8", "F13"))
    func wellKnown() throws {
        #expect(try fields("--appview") == ["atproto-proxy: did:web:api.bsky.app#bsky_appview"])
        #expect(try fields("--chat") == ["atproto-proxy: did:web:api.bsky.chat#bsky_chat"])
        #expect(
            try fields("--proxy", "did:web:feeds.example.com#bsky_fg")
                == ["atproto-proxy: did:web:feeds.example.com#bsky_fg"])
        #expect(try fields().isEmpty)
    }

    @Test(
        "labelers go into one list, in their order, and an empty one asks for no labels",
        .covers("X10", "F13"))
    func labelers() throws {
        #expect(
            try fields("--labelers", "did:web:a.example.com;redact", "--labelers", "did:web:b.example.com")
                == ["atproto-accept-labelers: did:web:a.example.com;redact, did:web:b.example.com"])
        #expect(try fields("--labelers", "") == ["atproto-accept-labelers: "])
    }

    @Test("one service is named, once, and as a service", .covers("X8"))
    func usage() throws {
        for arguments in [
            ["--proxy", "did:web:a.example.com#x", "--appview"],
            ["--proxy", "did:web:a.example.com#x", "--chat"],
            ["--proxy", "did:web:a.example.com"], ["--proxy", "a.example.com#x"],
            ["--proxy", "did:web:a.b#x y"],
            ["--appview", "atproto-proxy:did:web:a.example.com#x"], ["--labelers", "did:web:a.b;hide"],
            ["--labelers", "a.example.com"],
            ["--labelers", "did:web:a.b", "-H", "atproto-accept-labelers:x"],
        ] {
            let command = try #require(
                try BskyAuth.parseAsRoot(["call", "a.b.get"] + arguments) as? CallCommand)
            let failure = #expect(throws: Failure.self) { try command.request(owner: nil) }
            #expect(failure?.status == .usage, "\(arguments)")
        }
        #expect(throws: (any Error).self) {
            try BskyAuth.parseAsRoot(["call", "a.b.get", "--appview", "--chat"])
        }
    }
}
