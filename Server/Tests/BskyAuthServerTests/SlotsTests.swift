import Testing

@testable import BskyAuthServer

@Suite struct SlotsTests {
    @Test("one key gets its share, and all keys together no more than there is")
    func bounds() throws {
        let slots = Slots<String>(6, ofEach: 4)
        var taken = (0..<4).compactMap { _ in slots.take(for: "one") }
        #expect(taken.count == 4 && slots.take(for: "one") == nil)
        taken += [try #require(slots.take(for: "other")), try #require(slots.take(for: "other"))]
        #expect(slots.take(for: "third") == nil)
        taken.removeLast()
        taken.append(try #require(slots.take(for: "third")))
        #expect(slots.take(for: "other") == nil)
        taken.removeFirst()
        taken.append(try #require(slots.take(for: "one")))
        #expect(slots.take(for: "one") == nil)
    }
}
