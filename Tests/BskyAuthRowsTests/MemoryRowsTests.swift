import BskyAuthRows
import BskyAuthRowsConformance
import Testing

@Suite("Rows in memory") struct MemoryRowsTests {
    @Test("keep the rule", arguments: RowStoreCheck.all)
    func keep(_ check: RowStoreCheck) async throws {
        let clock = CheckClock()
        try await check.run(MemoryRows { clock.now }, clock)
    }
}
