internal import ATPNetworking

/// Runs jobs for several accounts at once. No job waits for the lock, the server or the failure of another account.
enum ConcurrentJobs {
    /// - Parameters:
    ///   - jobs: the number of jobs at once. A server with many jobs leaves places for the others.
    ///   - criticalSection: once it is interrupted, no new work begins, and begun work is finished.
    ///   - servers: the servers that the work on an item waits for.
    ///   - report: receives every result when it is ready, one at a time.
    /// - Returns: the results of all begun items, in the order of the items.
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
