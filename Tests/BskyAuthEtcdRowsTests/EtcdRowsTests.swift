import BskyAuthEtcdRows
import BskyAuthRows
import BskyAuthRowsConformance
import BskyAuthTestStores
import Foundation
import Testing

@Suite("Rows in etcd", .timeLimit(.minutes(3))) struct EtcdRowsTests {
    private static let one = Task { try await Etcd.ready() }
    private static let three = Task { try await Etcd.ready(nodes: 3) }

    @Test("keep the rule", arguments: RowStoreCheck.all)
    func keep(_ check: RowStoreCheck) async throws {
        let clock = CheckClock()
        try await check.run(Self.one.value.rows { clock.now }, clock)
    }

    @Test("keep the rule at three nodes", arguments: RowStoreCheck.all)
    func keepTogether(_ check: RowStoreCheck) async throws {
        let (clock, etcd, prefix) = (CheckClock(), try await Self.three.value, UUID().uuidString)
        try await check.run(RowStoreTurns((0..<3).map { etcd.rows(prefix, at: [$0]) { clock.now } }), clock)
    }

    @Test("have nothing to do with the rows of another prefix")
    func prefixes() async throws {
        let etcd = try await Self.one.value
        let (rows, other) = (etcd.rows("vault"), etcd.rows("vault2"))
        try await rows.put("a", [1], if: .absent)
        #expect(try await other.list("", after: nil, limit: 9).isEmpty)
        #expect(try await other.get("a") == nil)
        #expect(try await rows.list("", after: nil, limit: 9).map(\.key) == ["a"])
    }

    @Test("refuse a value that is not theirs")
    func foreign() async throws {
        let etcd = try await Self.one.value
        try await etcd.control("put foreign/a text")
        let error = await #expect(throws: RowStoreError.self) { try await etcd.rows("foreign").get("a") }
        #expect(error?.code == .unreadable)
    }

    @Test("are found by a wait that began before a compaction")
    func compaction() async throws {
        let etcd = try await Self.one.value
        let rows = etcd.rows()
        let first = try #require(try await rows.put("a", [1], if: .absent))
        async let change = rows.change(of: "a", after: first)
        let newest = try #require(try await rows.put("b", [1], if: .absent))
        try await etcd.control("compact \(newest.number)")
        try await rows.put("a", [2], if: .unchanged(first))
        #expect(try await change?.value == [2])
    }
}
