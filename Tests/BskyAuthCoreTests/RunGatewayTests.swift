import ATPNetworking
import ATProtoIdentity
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import ATProtoGateway

/// What a gateway decides before it asks any account.
@Suite("Gateway") struct GatewayTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let gateway: Gateway

    init() throws {
        let now = now
        gateway = try Gateway(
            [], limits: AccessLimits(isReadOnly: false, rules: [], services: []), known: known,
            lockTimeout: .seconds(1), now: { now }, isOpen: { true },
            voice: Gateway.Voice(words: { "\($0)" }, report: { _ in }, reportClosed: {}))
    }

    /// Asks with a token, and says whether the sender was vouched for.
    private func ask(
        _ token: String, _ line: String = "GET app.bsky.feed.getTimeline"
    ) async throws -> (status: Int, endsConnection: Bool, isVouchedFor: Bool) {
        let parts = line.split(separator: " ")
        let vouched = Mutex(false)
        let answer = await gateway.answer(
            GatewayRequest(
                method: try #require(HTTPRequest.Method(rawValue: String(parts[0]))),
                target: "/xrpc/\(parts[1])", headerFields: [.authorization: "Bearer \(token)"], body: .none,
                vouch: { vouched.withLock { $0 = true } }))
        return (answer.response.status, answer.endsConnection, vouched.withLock { $0 })
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

    @Test("nobody vouches for a wrong secret, and it costs the connection")
    func strangers() async throws {
        for token in ["", "bskyauth-run-AAAAAAAAAAAAAAAAAAAAAAAAAAA", token(.access, age: 0)] {
            let answer = try await ask(token)
            #expect(answer == (401, true, false), "\(token)")
        }
    }

    @Test("the session methods are known in any spelling")
    func spelling() throws {
        for name in ["createSession", "CREATESESSION", "RefreshSession", "getsession", "DELETEsession"] {
            let nsid = try NSID(validating: "com.atproto.server.\(name)")
            #expect(SessionMethod(nsid)?.rawValue.lowercased() == nsid.description.lowercased())
        }
        #expect(SessionMethod(try NSID(validating: "com.atproto.server.createSessions")) == nil)
    }
}
