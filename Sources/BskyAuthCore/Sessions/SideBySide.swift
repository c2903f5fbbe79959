internal import Networking

/// Work for several accounts at once, each by itself: none waits for the lock, the server or the failure of
/// another.
enum SideBySide {
    /// - Parameters:
    ///   - jobs: how many at once; a server with many accounts leaves places to the others.
    ///   - report: is given every result as it ends, one at a time.
    /// - Returns: the results in the order of the accounts.
    static func run<Result: Sendable>(
        _ profiles: [AccountProfile], jobs: Int,
        work: @escaping @Sendable (AccountProfile) async -> Result, report: (Result) -> Void
    ) async -> [Result] {
        var queue = FairQueue(Array(profiles.enumerated()), places: jobs) { $0.element.pds }
        var results: [Result?] = profiles.map { _ in nil }
        await withTaskGroup(of: (Int, Result).self) { group in
            func start() {
                while let (number, profile) = queue.next() {
                    group.addTask { (number, await work(profile)) }
                }
            }
            start()
            while let (number, result) = await group.next() {
                results[number] = result
                report(result)
                queue.finish(profiles[number].pds)
                start()
            }
        }
        return results.compactMap(\.self)
    }
}
