import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoSessions
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Synchronization
import Testing

@testable import ATProtoBackendClient

/// An app with a backend that answers from a script.
struct World {
    static let address = "https://auth.example.com"
    static let redirectURI = "com.example.ios:/auth"
    static let alice = "did:plc:rx3iezovljgx6w3o4vtr5bae"
    static let bob = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
    static let accounts = [
        alice: "11111111-1111-4111-8111-111111111111", bob: "22222222-2222-4222-8222-222222222222",
    ]
    static let page = "https://pds.example.com/oauth/authorize?request_uri=x"

    let transport = ScriptedTransport([:])
    let storage = FlakyStorage()
    let clock = SetClock()
    let client: BackendClient

    init() throws {
        client = try Self.client(transport, storage, clock)
        answer("start", .json(["success": true, "authUrl": .string(Self.page), "handle": "alice.test"]))
        answer("logout", Self.ended)
    }

    static func client(
        _ transport: ScriptedTransport, _ storage: FlakyStorage, _ clock: SetClock
    ) throws -> BackendClient {
        try BackendClient(
            at: address, redirectURI: redirectURI, storage: storage, transport: transport, clock: clock)
    }

    /// An app that is logged in as alice with the session `first`.
    static func loggedIn() async throws -> World {
        let world = try World()
        try await world.logIn("first")
        return world
    }

    /// The app in a new process.
    func restarted() throws -> BackendClient { try Self.client(transport, storage, clock) }

    @discardableResult
    func logIn(_ session: String, as did: String = alice) async throws -> BackendSession {
        answer("tokens", Self.grant(session, did))
        _ = try await client.begin("alice.test")
        return try await client.complete(redirect: Self.redirect(did))
    }

    static func redirect(_ did: String = alice, code: String = "the-code") -> String {
        "\(redirectURI)?code=\(code)&did=\(did.replacing(":", with: "%3A"))"
    }

    /// The answer that gives a session.
    static func grant(_ session: String, _ did: String = alice) -> ScriptedTransport.Answer {
        .json([
            "success": true, "authenticated": true, "app": "ios", "account": .string(accounts[did] ?? ""),
            "did": .string(did), "handle": "alice.test", "expiresAt": "2026-01-15T00:00:00Z",
            "session": .string(session),
        ])
    }

    /// The answer that gives a session without an active account.
    static func inactive(_ session: String) -> ScriptedTransport.Answer {
        .json([
            "success": true, "authenticated": true, "app": "ios", "expiresAt": "2026-01-15T00:00:00Z",
            "session": .string(session),
        ])
    }

    static let ended = ScriptedTransport.Answer.json(["success": true, "authenticated": false])

    static func problem(
        _ status: Int, _ code: String, _ fields: HTTPFields = [:]
    ) -> ScriptedTransport.Answer {
        .json(["error": .string(code), "message": "Words."], status: status, fields)
    }

    /// The address of a path; of a request below `/api/auth/` if it is a name.
    static func url(_ path: String) -> String {
        path.hasPrefix("/") ? address + path : "\(address)/api/auth/\(path)"
    }

    /// Sets the answers of a path. The last one is repeated.
    func answer(_ path: String, _ answers: ScriptedTransport.Answer...) {
        transport.answer(Self.url(path), answers)
    }

    func requests(_ path: String) -> [TransportRequest] { transport.requests(to: Self.url(path)) }

    /// The sessions with which requests to a path were sent.
    func sessions(_ path: String) -> [String] {
        requests(path).map { $0.headerFields[.authorization] ?? "none" }
    }

    func bodies(_ path: String) throws -> [JSONValue] {
        try requests(path).map { try JSONParser.parse($0.body.bytes ?? []) }
    }

    /// The sealed session in the storage; nil if there is none.
    func stored() async throws -> String? {
        try await storage.text("backend-session").map { try BackendSession(archive: $0).token }
    }
}

/// Texts in memory, which can fail.
final class FlakyStorage: SecretStorage {
    struct Full: Error, CustomStringConvertible {
        let description = "the storage is full"
    }

    private let memory = MemoryStorage()
    private let failures = Mutex(Set<String>())

    /// Makes writing and removing of a text fail.
    func fail(_ name: String, _ fails: Bool = true) {
        failures.withLock { names in
            if fails { names.insert(name) } else { names.remove(name) }
        }
    }

    private func check(_ name: String) throws {
        if failures.withLock({ $0.contains(name) }) { throw Full() }
    }

    func text(_ name: String) async throws -> String? { memory.text(name) }
    func names() async throws -> [String] { memory.names() }

    func write(_ text: String, as name: String) async throws {
        try check(name)
        memory.write(text, as: name)
    }

    func remove(_ name: String) async throws {
        try check(name)
        memory.remove(name)
    }
}

/// A clock that a test sets.
final class SetClock: WallClock {
    private let time = Mutex(Date(timeIntervalSince1970: 1_767_225_600))

    var now: Date { time.withLock { $0 } }
    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
    func sleep(until date: Date) async throws {}
}

/// The failure; nil if there is none.
func caught(_ body: () async throws(ATProtoFailure) -> Void) async -> ATProtoFailure? {
    do { try await body() } catch { return error }
    return nil
}
