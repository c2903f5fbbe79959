internal import BskyAuthRows
internal import FoundationEssentials
internal import Testing

extension RowStoreCheck {
    static let values: [RowStoreCheck] = [
        RowStoreCheck("a key without a row has no value") { store, _ async throws in
            #expect(try await store.get("a") == nil)
        },
        RowStoreCheck("bytes come back as they were written") { store, _ async throws in
            for value in [[], Array(0...255), [UInt8](repeating: 7, count: 1 << 20)] as [[UInt8]] {
                let revision = try #require(try await store.put("a", value, if: .always))
                let row = try #require(try await store.get("a"))
                #expect(row.value == value)
                #expect(row.key == "a")
                #expect(row.revision == revision)
                #expect(row.expiry == nil)
            }
        },
        RowStoreCheck("a key is found only as it was written") { store, _ async throws in
            try await store.put("Key/~!", [1], if: .always)
            for other in ["key/~!", "Key/~", "Key/~!!", "Key/__", "%"] {
                #expect(try await store.get(other) == nil)
            }
        },
        RowStoreCheck("a buffered write is seen at once") { store, _ async throws in
            try await store.put("a", [1], expiry: nil, if: .absent, durability: .buffered)
            #expect(try await store.get("a")?.value == [1])
        },
    ]

    static let conditions: [RowStoreCheck] = [
        RowStoreCheck("`absent` holds for no row, and not for one") { store, _ async throws in
            #expect(try await store.put("a", [1], if: .absent) != nil)
            #expect(try await store.put("a", [2], if: .absent) == nil)
            #expect(try await store.get("a")?.value == [1])
        },
        RowStoreCheck("`unchanged` holds for the revision that is there, once") { store, _ async throws in
            let first = try #require(try await store.put("a", [1], if: .absent))
            let second = try #require(try await store.put("a", [2], if: .unchanged(first)))
            #expect(try await store.put("a", [3], if: .unchanged(first)) == nil)
            #expect(try await store.get("a")?.value == [2])
            #expect(try await store.get("a")?.revision == second)
        },
        RowStoreCheck("the same bytes get another revision") { store, _ async throws in
            let first = try #require(try await store.put("a", [1], if: .always))
            #expect(try await store.put("a", [1], if: .always) != first)
            #expect(try await store.put("a", [1], if: .unchanged(first)) == nil)
        },
        RowStoreCheck("`unchanged` does not hold without a row") { store, _ async throws in
            let revision = try #require(try await store.put("a", [1], if: .absent))
            #expect(try await store.delete("a", if: .always))
            #expect(try await store.put("a", [2], if: .unchanged(revision)) == nil)
            #expect(try await store.delete("a", if: .unchanged(revision)) == false)
            #expect(try await store.get("a") == nil)
        },
        RowStoreCheck("a revision does not come back with a new row") { store, _ async throws in
            let first = try #require(try await store.put("a", [1], if: .absent))
            #expect(try await store.delete("a", if: .unchanged(first)))
            let second = try #require(try await store.put("a", [1], if: .absent))
            #expect(first != second)
            #expect(try await store.put("a", [2], if: .unchanged(first)) == nil)
        },
        RowStoreCheck("a row is deleted only at the revision that was named") { store, _ async throws in
            let first = try #require(try await store.put("a", [1], if: .absent))
            let second = try #require(try await store.put("a", [2], if: .always))
            #expect(try await store.delete("a", if: .unchanged(first)) == false)
            #expect(try await store.get("a")?.value == [2])
            #expect(try await store.delete("a", if: .unchanged(second)))
            #expect(try await store.get("a") == nil)
        },
        RowStoreCheck("deleting nothing says so") { store, _ async throws in
            #expect(try await store.delete("a", if: .always) == false)
            #expect(try await store.delete("a", if: .absent) == false)
        },
    ]

    static let races: [RowStoreCheck] = [
        RowStoreCheck("of 50 tasks that spend one row, one succeeds") { store, _ async throws in
            let revision = try #require(try await store.put("code", [1], if: .absent))
            let spent = try await tally(50) { try await store.delete("code", if: .unchanged(revision)) }
            #expect(spent == 1)
        },
        RowStoreCheck("of 50 tasks that make one row, one succeeds") { store, _ async throws in
            let made = try await tally(50) { try await store.put("a", [1], if: .absent) != nil }
            #expect(made == 1)
        },
        RowStoreCheck("no change is lost") { store, _ async throws in
            try await store.put("counter", [0], if: .absent)
            let changes = try await tally(50) {
                guard let row = try await store.get("counter") else { return false }
                return try await store.put("counter", [row.value[0] + 1], if: .unchanged(row.revision)) != nil
            }
            #expect(changes > 0)
            #expect(try await store.get("counter")?.value == [UInt8(changes)])
        },
    ]

    static let lists: [RowStoreCheck] = [
        RowStoreCheck("a list has the rows with the prefix, in the order of bytes") { store, _ async throws in
            let keys = ["did/b", "did/a", "did/B", "did", "did0", "did/a/1", "d", "di%/x", "did/~", "dit/a"]
            for key in keys { try await store.put(key, Array(key.utf8), if: .absent) }
            let listed = try await store.list("did/", after: nil, limit: 100)
            #expect(listed.map(\.key) == ["did/B", "did/a", "did/a/1", "did/b", "did/~"])
            #expect(listed.allSatisfy { $0.value == Array($0.key.utf8) })
            #expect(try await store.list("di%", after: nil, limit: 100).map(\.key) == ["di%/x"])
            #expect(try await store.list("did_", after: nil, limit: 100).isEmpty)
            #expect(try await store.list("", after: nil, limit: 100).count == keys.count)
        },
        RowStoreCheck("pages have every row once") { store, _ async throws in
            for number in 10..<90 { try await store.put("p/\(number)", [], if: .absent) }
            // The longer page is longer than what a store asks for at once.
            for limit in [7, 60] {
                var (found, last): ([String], String?) = ([], nil)
                while true {
                    let page = try await store.list("p/", after: last, limit: limit)
                    if page.isEmpty { break }
                    #expect(page.count == min(limit, 80 - found.count))
                    found += page.map(\.key)
                    last = page.last?.key
                }
                #expect(found == (10..<90).map { "p/\($0)" })
            }
        },
        RowStoreCheck("a listed revision is the one that is there") { store, _ async throws in
            try await store.put("a", [1], if: .absent)
            let row = try #require(try await store.list("a", after: nil, limit: 1).first)
            #expect(try await store.delete("a", if: .unchanged(row.revision)))
        },
    ]

    static let expiries: [RowStoreCheck] = [
        RowStoreCheck("an expired row is absent for every method") { store, clock async throws in
            let revision = try #require(
                try await store.put("a", [1], expiry: clock.now + 60, if: .absent))
            clock.advance(59)
            #expect(try await store.get("a")?.value == [1])
            #expect(try await store.get("a")?.expiry == clock.now + 1)
            clock.advance(1)
            #expect(try await store.get("a") == nil)
            #expect(try await store.list("a", after: nil, limit: 1).isEmpty)
            #expect(try await store.delete("a", if: .always) == false)
            #expect(try await store.delete("a", if: .unchanged(revision)) == false)
            #expect(try await store.put("a", [2], if: .unchanged(revision)) == nil)
            #expect(try await store.put("a", [3], if: .absent) != nil)
            #expect(try await store.get("a")?.value == [3])
        },
        RowStoreCheck("a write replaces the expiry") { store, clock async throws in
            try await store.put("a", [1], expiry: clock.now + 60, if: .absent)
            try await store.put("a", [1], expiry: clock.now + 120, if: .always)
            try await store.put("b", [1], expiry: clock.now + 60, if: .absent)
            try await store.put("b", [1], if: .always)
            clock.advance(61)
            #expect(try await store.get("a") != nil)
            clock.advance(60)
            #expect(try await store.get("a") == nil)
            #expect(try await store.get("b") != nil)
        },
        RowStoreCheck("only expired rows are removed") { store, clock async throws in
            try await store.put("old", [1], expiry: clock.now + 60, if: .absent)
            try await store.put("new", [1], expiry: clock.now + 61, if: .absent)
            try await store.put("endless", [1], if: .absent)
            clock.advance(60)
            #expect(try await store.removeExpired() == 1)
            #expect(try await store.removeExpired() == 0)
            #expect(try await store.list("", after: nil, limit: 9).map(\.key) == ["endless", "new"])
        },
    ]

    static let changes: [RowStoreCheck] = [
        RowStoreCheck("a change that has happened is told at once") { store, _ async throws in
            #expect(try await store.change(of: "a", after: Revision(0)) == nil)
            let first = try #require(try await store.put("a", [1], if: .absent))
            #expect(try await store.change(of: "a", after: nil)?.value == [1])
            let second = try #require(try await store.put("a", [2], if: .unchanged(first)))
            #expect(try await store.change(of: "a", after: first)?.revision == second)
            #expect(try await store.delete("a", if: .always))
            #expect(try await store.change(of: "a", after: second) == nil)
        },
        RowStoreCheck("a wait ends with a new row, a write and a removal of its key") {
            store, _ async throws in
            async let made = store.change(of: "a", after: nil)
            try await store.put("ab", [9], if: .absent)
            let first = try #require(try await store.put("a", [1], if: .absent))
            #expect(try await made?.revision == first)

            async let written = store.change(of: "a", after: first)
            try await store.put("b", [9], if: .absent)
            let second = try #require(try await store.put("a", [2], if: .always))
            #expect(try await written == StoredRow(key: "a", value: [2], revision: second, expiry: nil))

            async let removed = store.change(of: "a", after: second)
            try await store.delete("a", if: .always)
            #expect(try await removed == nil)
        },
        RowStoreCheck("50 tasks that wait for one row all go on") { store, _ async throws in
            async let woken = tally(50) { try await store.change(of: "a", after: nil)?.value == [1] }
            try await store.put("a", [1], if: .absent)
            #expect(try await woken == 50)
        },
        RowStoreCheck("a wait ends if its task is cancelled") { store, _ async throws in
            let wait = Task { try await store.change(of: "a", after: nil) }
            wait.cancel()
            let error = await #expect(throws: RowStoreError.self) { try await wait.value }
            #expect(error?.code == .cancelled)
        },
    ]

    /// How many of several tasks at once say true.
    private static func tally(
        _ count: Int, _ work: @escaping @Sendable () async throws -> Bool
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<count { group.addTask { try await work() } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }
}
