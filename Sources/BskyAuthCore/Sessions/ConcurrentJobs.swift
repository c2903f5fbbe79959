internal import Networking

/// Runs jobs for several accounts at once. No job waits for the lock, the server or the failure of another account.
enum ConcurrentJobs {
    /// - Parameters:
    ///   - jobs: how many at once; a server with much to do leaves places to the others.
    ///   - criticalSection: once it is interrupted no more work is begun, and the work under way is finished.
    ///   - servers: whom the work on an item waits for.
    ///   - report: is given every result as it comes, one at a time.
    /// - Returns: the results in the order of the items, of those that were begun.
    static func run<Item: Sendable, Result: Sendable>(
        _ items: [Item], jobs: Int, until criticalSection: any CriticalSection,
        servers: (Item) -> JobServers<Origin>,
        work: @escaping @Sendable (Item) async throws -> Result, report: (Result) -> Void = { _ in }
    ) async throws -> [Result] {
        var queue = FairQueue(Array(items.enumerated()), places: jobs) { servers($0.element) }
        var results: [Result?] = items.map { _ in nil }
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            func start() {
                while !criticalSection.isInterrupted, let (number, item) = queue.next() {
                    group.addTask { (number, try await work(item)) }
                }
            }
            start()
            while let (number, result) = try await group.next() {
                results[number] = result
                report(result)
                queue.finish(servers(items[number]))
                start()
            }
        }
        return results.compactMap(\.self)
    }
}
