import Foundation
import Testing

@testable import BskyAuthServer

@Suite struct UploadSlotsTests {
    @Test("one session gets four slots, and all sessions together no more than the server has")
    func bounds() throws {
        let slots = UploadSlots(6)
        let (one, other, third) = (UUID(), UUID(), UUID())
        var taken = try (0..<4).map { _ in try slots.take(for: one) }
        #expect(throws: Problem.self) { try slots.take(for: one) }
        taken += [try slots.take(for: other), try slots.take(for: other)]
        #expect(throws: Problem.self) { try slots.take(for: third) }
        taken.removeLast()
        taken.append(try slots.take(for: third))
        #expect(throws: Problem.self) { try slots.take(for: other) }
        taken.removeFirst()
        taken.append(try slots.take(for: one))
        #expect(throws: Problem.self) { try slots.take(for: one) }
    }
}
