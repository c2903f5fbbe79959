import ATPCryptography
import ATPJSON
import ATPNetworking
import ATProtoSessions
import ATProtoVault
import BskyAuthTestSupport
import Foundation
import Testing

@testable import BskyAuthCore

/// What a service says that is easily misread.
extension PasswordSessionTests {
    @Test("a refusal that never ends is passed on, cut") func longRefusal() async throws {
        let id = try await logIn()
        world.network.answer(call, .text(String(repeating: "x", count: 100_000), status: 400))
        let response = try await call(id)
        #expect(response.status == 400)
        #expect(try await response.body.collect(upTo: 100_000).count == 65536)
    }

    @Test(
        "a 401 that names no error ends no session",
        arguments: [
            ScriptedTransport.Answer.text("<html>sign in</html>", status: 401, type: "text/html"),
            .text("", status: 401), .json(["error": "Please log in first"], status: 401),
        ])
    func unnamedRefusal(answer: ScriptedTransport.Answer) async throws {
        let id = try await logIn()
        world.network.answer(refresh, answer)
        await #expect(throws: (any Error).self) { try await world.refresh(id, forced: true) }
        #expect(try world.accounts.session(id).state == .ok)
        world.clock.advance(100)
        world.network.answer(refresh, Self.error(401, "AuthenticationRequired"))
        #expect(try await ending { try await world.refresh(id, forced: true) } != nil)
        #expect(try world.accounts.session(id).state == .expired)
    }

    @Test(
        "a token lives as long as it says, where it names a date, and else two hours",
        arguments: [(1_795_212_831, 600), (0, 7200), (253_402_300_800, 7200), (Int64.max, 7200)]
            as [(Int64, Double)])
    func expiry(seconds: Int64, life: Double) async throws {
        let id = try await logIn()
        let claims: JSONValue = ["exp": JSONValue(seconds)]
        let token = "e30.\(Base64URL.encode(Array(claims.text.utf8))).c2ln"
        world.network.answer(
            refresh,
            .json([
                "did": .string(World.did), "accessJwt": .string(token), "refreshJwt": "second-refresh",
            ]))
        try await world.refresh(id, forced: true)
        #expect(try world.accounts.session(id).accessExpiresAt == World.start.addingTimeInterval(life))
    }
}
