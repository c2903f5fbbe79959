import ATPNetworking
import ATProtoGateway
import ATProtoIdentity
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import BskyAuthCore

/// What a run decides before it asks any account.
@Suite("The gateway of a run") struct ProgramGatewayTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let gateway: ProgramGateway

    init() throws {
        let now = now
        gateway = try ProgramGateway(
            [], through: Gateway(), now: { now }, isOpen: { true },
            reports: ProgramGateway.Reports(words: { "\($0)" }, report: { _ in }, reportClosed: {}))
    }

    /// Asks with a token, and says whether it has shown a secret.
    private func ask(
        _ token: String, _ line: String = "GET app.bsky.feed.getTimeline"
    ) async throws -> (status: Int, endsConnection: Bool, hasShownSecret: Bool) {
        let parts = line.split(separator: " ")
        let shown = Mutex(false)
        let answer = await gateway.answer(
            GatewayRequest(
                method: try #require(HTTPRequest.Method(rawValue: String(parts[0]))),
                target: "/xrpc/\(parts[1])", headerFields: [.authorization: "Bearer \(token)"], body: .none),
            secretShown: { shown.withLock { $0 = true } })
        return (answer.reply.response.status, answer.endsConnection, shown.withLock { $0 })
    }

    private func token(_ kind: RunKeys.Kind, age: TimeInterval) -> String {
        gateway.keys.token(kind, did: "did:plc:alice", id: "one", now: now.addingTimeInterval(-age))
    }

    @Test("a token whose time is over is to be refreshed, and only where it was good")
    func expiry() async throws {
        let (day, year) = (86400.0, 366 * 86400.0)
        #expect(try await ask(token(.access, age: day)).status == 400)
        #expect(try await ask(token(.refresh, age: year)).status == 401)
        let refresh = "POST com.atproto.server.refreshSession"
        #expect(try await ask(token(.refresh, age: year), refresh).status == 400)
        #expect(try await ask(token(.access, age: day), refresh).status == 401)
    }

    @Test("a wrong secret is not taken as one that was shown, and it costs the connection")
    func strangers() async throws {
        for token in ["", "bskyauth-run-AAAAAAAAAAAAAAAAAAAAAAAAAAA", token(.access, age: 0)] {
            let answer = try await ask(token)
            #expect(answer == (401, true, false), "\(token)")
        }
    }
}

extension ProgramGatewayTests {
    /// Asks without a secret and token.
    private func askBeforeLogin(_ path: String) async throws -> (
        status: Int, body: String, hasShownSecret: Bool
    ) {
        let shown = Mutex(false)
        let answer = await gateway.answer(
            GatewayRequest(method: .get, target: "/xrpc/\(path)", headerFields: [:], body: .none),
            at: RunAddress(port: 2480), secretShown: { shown.withLock { $0 = true } })
        let body = try await answer.reply.response.body.collect(upTo: 4096)
        return (
            answer.reply.response.status, String(decoding: body, as: UTF8.self),
            shown.withLock { $0 }
        )
    }

    @Test("says what it is before a login, and counts no one who asks as a program of the run")
    func beforeLogin() async throws {
        let did = #"{"did":"did:web:127.0.0.1%3A2480","availableUserDomains":[]}"#
        #expect(try await askBeforeLogin("_health") == (200, #"{"version":"bskyauth"}"#, false))
        #expect(try await askBeforeLogin("com.atproto.server.describeServer") == (200, did, false))
        for handle in ["?handle=alice.test", "?handle=", "", "?handle=a.test&handle=b.test"] {
            let answer = try await askBeforeLogin("com.atproto.identity.resolveHandle\(handle)")
            #expect(answer.status == 400 && !answer.hasShownSecret, "\(handle)")
        }
        for other in [
            "_health/", "_healthy", "com.atproto.sync.listRepos", "app.bsky.actor.getProfile?actor=a.test",
        ] {
            let answer = try await askBeforeLogin(other)
            #expect([400, 401].contains(answer.status) && !answer.hasShownSecret, "\(other)")
        }
        // A wrong token is no question before a login.
        #expect(try await ask("x", "GET com.atproto.server.describeServer").status == 401)
    }

    @Test("a token of another run is one to log in again for, and costs the connection")
    func otherRun() async throws {
        let other = try RunKeys()
        for kind in RunKeys.Kind.allCases {
            let token = other.token(kind, did: "did:plc:alice", id: "one", now: now)
            for line in ["GET app.bsky.feed.getTimeline", "POST com.atproto.server.refreshSession"] {
                #expect(try await ask(token, line) == (400, true, false), "\(kind) \(line)")
            }
        }
    }
}

@Suite("Where programs find a run") struct RunAddressTests {
    @Test("its names are those of its own port only, byte for byte")
    func names() {
        let address = RunAddress(port: 2480)
        for name in ["did:web:127.0.0.1%3A2480", "did:web:localhost%3A2480"] {
            #expect(address.isNamed(by: name), "\(name)")
        }
        for other in [
            "did:web:127.0.0.1%3A2481", "did:web:127.0.0.1%3a2480", "did:web:127.0.0.1%3A2480#x",
            "did:web:pds.example.com", "did:web:127.0.0.2%3A2480", "DID:web:127.0.0.1%3A2480",
            "did:web:localhost", "did:web:evil.example%3A2480", "",
        ] {
            #expect(!address.isNamed(by: other), "\(other)")
        }
        #expect(!RunAddress(port: nil).isNamed(by: RunAddress(port: nil).did))
    }
}

@Suite("The tokens of a run") struct RunKeysTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("are read by the run that made them, until their time is over or their session ends")
    func life() throws {
        let keys = try RunKeys()
        let token = keys.token(.access, did: "did:plc:alice", id: "one", now: now)
        #expect(
            keys.read(token, now: now)
                == .init(kind: .access, did: "did:plc:alice", id: "one", isExpired: false))
        #expect(keys.read(token, now: now.addingTimeInterval(7199))?.isExpired == false)
        #expect(keys.read(token, now: now.addingTimeInterval(7200))?.isExpired == true)
        #expect(try RunKeys().read(token, now: now) == nil)
        let refresh = keys.token(.refresh, did: "did:plc:alice", id: "one", now: now)
        #expect(keys.read(refresh, now: now)?.kind == .refresh)
        keys.end("one")
        #expect(keys.read(token, now: now) == nil && keys.read(refresh, now: now) == nil)
        let other = keys.token(.access, did: "did:plc:alice", id: "two", now: now)
        #expect(keys.read(other, now: now) != nil)
    }

    @Test("a token with any byte changed, another algorithm, or without a code is not read")
    func forged() throws {
        let keys = try RunKeys()
        let token = keys.token(.access, did: "did:plc:alice", id: "one", now: now)
        for index in token.utf8.indices {
            var bytes = Array(token.utf8)
            let place = token.utf8.distance(from: token.utf8.startIndex, to: index)
            bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(keys.read(String(decoding: bytes, as: UTF8.self), now: now) == nil, "byte \(place)")
        }
        let parts = token.split(separator: ".")
        let none = Data(#"{"typ":"at+jwt","alg":"none"}"#.utf8).base64EncodedString().prefix { $0 != "=" }
        for text in [
            "", ".", "..", "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).", "\(none).\(parts[1]).",
            "\(none).\(parts[1]).\(parts[2])", "\(token).", "\(token)=", " \(token)",
        ] {
            #expect(keys.read(text, now: now) == nil, "\(text)")
        }
        let refresh = keys.token(.refresh, did: "did:plc:alice", id: "one", now: now).split(separator: ".")
        let raised = "\(parts[0]).\(refresh[1]).\(refresh[2])"
        #expect(keys.read(raised, now: now) == nil, "the kind of a token is under its code, too")
    }

    @Test("each secret has 160 random bits and a name that people know again")
    func secrets() throws {
        let secrets = try (1...100).map { _ in try RunKeys.secret() }
        #expect(Set(secrets).count == 100)
        #expect(secrets.allSatisfy { $0.hasPrefix("bskyauth-run-") && $0.utf8.count == 13 + 27 })
    }
}
