import ATPNetworking
import ATProtoSessions
import Testing

@testable import ATProtoVault

@Suite("The longest turn") struct TurnTests {
    @Test("is the sum of what holds an account's lock") func sum() {
        #expect(Turn.longest == .seconds(60 + 90 + 60 + 30))
    }

    @Test("is longer than a refresh at a shared vault, and no longer than the wait before a takeover")
    func shared() throws {
        let limits = SharedStore.Limits()
        let answer = try #require(Timeouts.rotation(sentBy: .now).total)
        #expect(limits.send + answer + limits.commit < Turn.longest)
        #expect(Turn.longest <= limits.takeover)
    }
}
