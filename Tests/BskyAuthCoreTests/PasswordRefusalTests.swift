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
}
