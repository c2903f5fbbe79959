import JSON
import Networking
import Testing

@testable import BskyAuthCore

/// What is no refusal of a token, or none that can be read.
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
            ScriptedNetwork.Answer.text("<html>sign in</html>", status: 401, type: "text/html"),
            .text("", status: 401), .json(["error": "Please log in first"], status: 401),
        ])
    func unnamedRefusal(answer: ScriptedNetwork.Answer) async throws {
        let id = try await logIn()
        world.network.answer(refresh, answer)
        await #expect(throws: CoreError.self) { try await world.refresh(id, forced: true) }
        #expect(try world.accounts.session(id).state == .ok)
        world.clock.advance(100)
        world.network.answer(refresh, Self.error(401, "AuthenticationRequired"))
        #expect(try await ending { try await world.refresh(id, forced: true) } != nil)
        #expect(try world.accounts.session(id).state == .expired)
    }
}
