import ATPCryptography
import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoVault
import ATProtoXRPC
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("Service tokens") struct ServiceTokenTests {
    private static let url = World.pds + "/xrpc/com.atproto.server.getServiceAuth"
    private static let now = Int64(World.start.timeIntervalSince1970)
    private let world: World
    private let service: ServiceReference
    private let method: NSID

    init() throws {
        world = try World()
        service = try ServiceReference(validating: "did:web:api.example.com#feed")
        method = try NSID(validating: "com.example.feed.read")
    }

    private func claims(exp: Int64 = now + 60, _ change: (inout JSONObject) -> Void = { _ in }) -> JSONValue {
        var claims: JSONObject = [
            "iss": .string(World.did), "aud": "did:web:api.example.com", "lxm": "com.example.feed.read",
            "exp": JSONValue(exp),
        ]
        change(&claims)
        return .object(claims)
    }

    private func answer(_ claims: JSONValue, signature: String = "c2ln", date: String? = nil)
        -> ScriptedTransport.Answer
    {
        let payload = Base64URL.encode(Array(claims.text.utf8))
        return .json(
            ["token": .string("eyJhbGciOiJFUzI1NiJ9.\(payload).\(signature)")],
            date.map { [.date: $0] } ?? [:])
    }

    @discardableResult
    private func ask(_ lifetime: Duration = .seconds(60), naming: Bool = false) async throws -> ServiceToken {
        let id = try await world.add(try World.session())
        let account = try world.accounts.account(id)
        return try await ServiceTokenFlow(world.environment, as: account, lockTimeout: .zero)
            .token(
                for: ServiceTokenRequest(.service(service), method, lifetime: lifetime, namesService: naming))
    }

    private var queries: [String] {
        world.network.requests.map { $0.url.query ?? "" }
    }

    @Test("are asked for at the account's server, for one method and by its clock", .covers("X13"))
    func request() async throws {
        world.network.answer(Self.url, answer(claims()))
        let token = try await ask()
        #expect(token.expiresAt == World.start.addingTimeInterval(60))
        #expect(token.reveal().hasPrefix("eyJ") && "\(token)" == "<redacted>")
        #expect(
            queries == [
                "aud=did%3Aweb%3Aapi.example.com&lxm=com.example.feed.read&exp=\(Self.now + 60)"
            ])
        #expect(world.network.requests.allSatisfy { $0.url.origin.description == World.pds })
    }

    @Test("name the service in the audience only if that is wanted")
    func audience() async throws {
        world.network.answer(Self.url, answer(claims { $0["aud"] = "did:web:api.example.com#feed" }))
        try await ask(naming: true)
        #expect(queries.first?.hasPrefix("aud=did%3Aweb%3Aapi.example.com%23feed&") == true)
    }

    @Test("stay below the hour that servers allow, however far their clock was rounded")
    func longest() async throws {
        world.network.answer(Self.url, answer(claims(exp: Self.now + 3590)))
        try await ask(.seconds(3600))
        #expect(queries.first?.hasSuffix("&exp=\(Self.now + 3590)") == true)
    }

    @Test(
        "are asked for once more if the answer shows that the server has another time", .covers("X13"),
        arguments: [200, 400])
    func clock(status: Int) async throws {
        let ahead = Self.now + 1000
        let date = "Fri, 20 Nov 2026 22:20:31 GMT"
        try #require(HTTPDate.seconds(in: date) == ahead)
        let first =
            status == 200
            ? answer(claims(), date: date)
            : .json(["error": "BadExpiration"], status: 400, [.date: date])
        world.network.answer(Self.url, first, answer(claims(exp: ahead + 60), date: date))
        let token = try await ask()
        #expect(token.expiresAt.timeIntervalSince1970 == Double(ahead + 60))
        #expect(queries.map { $0.suffix(10) } == ["\(Self.now + 60)", "\(ahead + 60)"])
    }

    @Test("are not used if they are not what was asked for", .covers("X13"))
    func wrong() async throws {
        let cases: [(JSONValue, ServiceTokenProblem)] = [
            (claims { $0["iss"] = "did:plc:ewvi7nxzyoun6zhxrhs64oiz" }, .issuer),
            (claims { $0["iss"] = nil }, .issuer),
            (claims { $0["aud"] = "did:web:other.example.com" }, .audience),
            (claims { $0["aud"] = "did:web:api.example.com#feed" }, .audience),
            (claims { $0["aud"] = ["did:web:api.example.com"] }, .audience),
            (claims { $0["lxm"] = "com.example.feed.write" }, .method),
            (claims { $0["lxm"] = "*" }, .method), (claims { $0["lxm"] = nil }, .method),
            (claims(exp: Self.now), .expiry), (claims(exp: Self.now + 61), .expiry),
            (claims { $0["exp"] = nil }, .expiry), (claims { $0["exp"] = "1795212291" }, .expiry),
            ([], .malformed),
        ]
        for (claims, problem) in cases {
            try await expect(problem, from: claims == [] ? .json(["token": "opaque"]) : answer(claims))
        }
        for broken in ["c2ln\n", "c2ln\r\nx: y", "c2 ln", "c2l\u{6e}\u{308}", "c2ln.c2ln"] {
            try await expect(.malformed, from: answer(claims(), signature: broken))
        }
        for other: ScriptedTransport.Answer in [.json([:]), .json(["token": 1]), .text("no JSON")] {
            try await expect(.malformed, from: other)
        }
    }

    private func expect(_ problem: ServiceTokenProblem, from answer: ScriptedTransport.Answer) async throws {
        let world = try World()
        world.network.answer(Self.url, answer)
        let id = try await world.add(try World.session())
        let account = try world.accounts.account(id)
        await #expect {
            let request = ServiceTokenRequest(
                .service(service), method, lifetime: .seconds(60), namesService: false)
            _ = try await ServiceTokenFlow(world.environment, as: account, lockTimeout: .zero)
                .token(for: request)
        } throws: { error in
            if case CoreError.wrongServiceToken(_, problem) = error { true } else { false }
        }
    }

    @Test(
        "are within a scope that names the service, also by a set",
        arguments: [
            ("atproto rpc:app.bsky.feed.getTimeline?aud=did:web:api.bsky.app%23bsky_appview", true),
            ("atproto include:app.bsky.authViewAll?aud=did:web:api.bsky.app%23bsky_appview", true),
            ("atproto include:app.bsky.authViewAll", false),
            ("atproto include:app.bsky.authViewAll?aud=did:web:api.bsky.app%23other", false),
            ("atproto include:app.bsky.authManageProfile", false), ("atproto", false),
        ])
    func covered(scope: String, isCovered: Bool) throws {
        let method = try NSID(validating: "app.bsky.feed.getTimeline")
        let target = ServiceAudience.service(.appView)
        for (names, expected) in [(false, isCovered), (true, false)] {
            let request = ServiceTokenRequest(target, method, lifetime: .seconds(60), namesService: names)
            #expect(request.isCovered(byNaming: Scope(scope)) == expected)
        }
    }

    @Test("that the server refuses are an error with what was asked for")
    func refused() async throws {
        world.network.answer(Self.url, .json(["error": "InvalidRequest"], status: 400))
        await #expect {
            try await ask()
        } throws: { error in
            guard case CoreError.serviceTokenRefused(let refusal, let request) = error else { return false }
            return refusal.error.name == "InvalidRequest" && request.method == method
                && (error as? CoreError)?.retry == nil
        }
        world.network.answer(Self.url, .json([:], status: 503))
        await #expect {
            try await ask()
        } throws: { error in
            (error as? CoreError)?.retry == .soon
        }
    }
}
