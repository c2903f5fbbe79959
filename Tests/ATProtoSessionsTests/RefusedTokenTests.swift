import Foundation
import Testing

@testable import ATProtoSessions

/// The table of decisions:Number-of-requests.
@Suite("After a refused token") struct RefusedTokenTests {
    private let now = ContinuousClock.now

    /// A call that was sent with these tokens. The refreshes are its own, and their tokens are this old.
    private func call(
        sentWith tokens: [String], refreshedTo own: [String] = [], age: Duration = .zero
    ) -> RefusedToken {
        var call = RefusedToken()
        for token in own { call.noteRotation(to: token, at: now - age) }
        for token in tokens { call.noteSending(of: token) }
        return call
    }

    @Test("a recorded token that was not tried is sent, and nothing is spent") func newer() {
        #expect(call(sentWith: ["1"]).step(recorded: "2", at: now) == .send)
        #expect(call(sentWith: ["1", "2"], refreshedTo: ["2"]).step(recorded: "3", at: now) == .send)
        #expect(call(sentWith: ["1", "2", "3", "4"]).step(recorded: "5", at: now) == .send)
    }

    @Test("a recorded end is told, whatever was refused") func ended() {
        #expect(call(sentWith: ["1"]).step(recorded: nil, at: now) == .ended)
        #expect(call(sentWith: ["1", "2"], refreshedTo: ["2"]).step(recorded: nil, at: now) == .ended)
        #expect(call(sentWith: ["1", "2", "3", "4", "5"]).step(recorded: nil, at: now) == .ended)
    }

    @Test("a token of others is refreshed, at most twice") func rotates() {
        #expect(call(sentWith: ["1"]).step(recorded: "1", at: now) == .rotate)
        #expect(call(sentWith: ["1", "2"]).step(recorded: "2", at: now) == .rotate)
        // One that was tried before may be recorded again, for example in a vault that was put back.
        #expect(call(sentWith: ["1", "2"]).step(recorded: "1", at: now) == .rotate)
        let once = call(sentWith: ["1", "2", "3"], refreshedTo: ["2"])
        #expect(once.step(recorded: "3", at: now) == .rotate)
        let twice = call(sentWith: ["1", "2", "3"], refreshedTo: ["0", "2"])
        #expect(twice.step(recorded: "3", at: now) == .giveUp)
    }

    @Test("only the call's own token, which is less than a minute old, is confirmed") func confirms() {
        for (age, step) in [
            (Duration.zero, RefusedToken.Step.confirm), (.seconds(59.999), .confirm), (.seconds(60), .rotate),
        ] {
            let call = call(sentWith: ["1", "2"], refreshedTo: ["2"], age: age)
            #expect(call.step(recorded: "2", at: now) == step)
        }
        // The token of the first of two refreshes is own no more.
        let later = call(sentWith: ["2"], refreshedTo: ["2", "3"])
        #expect(later.step(recorded: "2", at: now) == .giveUp)
        let old = call(sentWith: ["1", "2", "3"], refreshedTo: ["2", "3"], age: .seconds(60))
        #expect(old.step(recorded: "3", at: now) == .giveUp)
    }

    @Test("it is sent five times at most") func limit() {
        let five = ["1", "2", "3", "4", "5"]
        #expect(call(sentWith: five.dropLast()).maySend && !call(sentWith: five).maySend)
        #expect(call(sentWith: five).step(recorded: "6", at: now) == .giveUp)
        #expect(call(sentWith: five).step(recorded: "5", at: now) == .giveUp)
        // A look under the lock sends nothing of the call.
        #expect(call(sentWith: five, refreshedTo: ["5"]).step(recorded: "5", at: now) == .confirm)
    }
}
