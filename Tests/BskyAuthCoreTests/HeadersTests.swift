import ATPNetworking
import ATProtoSessions
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("Headers for another client") struct HeadersTests {
    private let world: World

    init() throws {
        world = try World()
    }

    private func headers(_ url: String, as id: UUID) async throws -> HTTPFields {
        try await CallFlow(world.environment.context, as: id)
            .headers(for: .get, try HTTPURL(validating: url), nonce: nil, lockTimeout: .zero)
    }

    @Test("are made for the session's own server, and for no other, whatever it is called")
    func audience() async throws {
        let id = try await world.add(try World.session())
        // A recent nonce is known, so nothing has to be sent.
        let pds = Origin(scheme: .https, host: "pds.example.com")
        SessionCache(account: id, store: world.caches).remember("n", for: pds, role: .resourceServer)
        let fields = try await headers(World.pds + "/xrpc/a.b.c?d=e", as: id)
        #expect(fields[.authorization] == "DPoP first-access")
        #expect(fields.count == 2 && fields.dpopProof != nil)
        for url in [
            "https://evil.example/", "https://pds.example.com.evil.example/", "http://pds.example.com/",
            "https://pds.example.com:8443/",
        ] {
            await #expect {
                _ = try await headers(url, as: id)
            } throws: { error in
                if case CoreError.foreignAudience = error { true } else { false }
            }
        }
        #expect(world.network.requests.isEmpty)
    }

    @Test("a token about to end is refreshed first")
    func refreshed() async throws {
        let id = try await world.add(try World.session(life: 10))
        let fields = try await headers(World.pds + "/xrpc/a.b.c", as: id)
        #expect(fields[.authorization] == "DPoP second-access")
        #expect(world.spent == ["first-refresh"])
    }

    @Test("where the refresh finds that the account has moved, its earlier server gets no new token")
    func moved() async throws {
        let old = "https://old.example.com"
        let id = try await world.add(try World.session(life: 10), World.account(pds: old))
        await #expect {
            _ = try await headers(old + "/xrpc/a.b.c", as: id)
        } throws: { error in
            if case CoreError.foreignAudience(let account, _) = error {
                account.pds.description == World.pds
            } else {
                false
            }
        }
        #expect(world.spent == ["first-refresh"])
    }
}
