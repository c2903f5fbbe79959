import Foundation
import Synchronization
import Testing

@testable import Platform

@Suite("Threads for tasks", .timeLimit(.minutes(1))) struct ThreadTests {
    /// Counts who is at work.
    private final class Crowd: Sendable {
        let state = Mutex((now: 0, most: 0, all: 0))

        func enter() {
            state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) }
        }

        func leave() { state.withLock { $0.now -= 1 } }

        /// Stays for a moment, and lets others have the thread meanwhile.
        func visit() async {
            enter()
            await Task.yield()
            leave()
        }
    }

    /// Of this thread, and of no other for a long time.
    private static var threadID: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
    }

    @Test("that wait in system calls are as many as may wait at once") func atOnce() async {
        let crowd = Crowd()
        await withTaskGroup { group in
            let threads = BlockingThreads(limit: 5)
            for _ in 0..<5 {
                group.addTask(executorPreference: threads) {
                    crowd.enter()
                    while crowd.state.withLock({ $0.all < 5 }) { sched_yield() }
                }
            }
        }
        #expect(crowd.state.withLock { $0.most } == 5)
    }

    @Test("are no more than allowed, and all is done that waited for one") func limit() async {
        let crowd = Crowd()
        await withTaskGroup { group in
            let threads = BlockingThreads(limit: 2)
            for _ in 0..<50 {
                group.addTask(executorPreference: threads) {
                    crowd.enter()
                    sched_yield()
                    crowd.leave()
                    await Task.yield()
                }
            }
        }
        let found = crowd.state.withLock { $0 }
        #expect(found.all == 50 && found.most <= 2)
    }

    @Test("are used again, one after the other") func again() async {
        let threads = BlockingThreads(limit: 64)
        var used: Set<String> = []
        for _ in 0..<100 {
            used.insert(await Task(executorPreference: threads) { ThreadTests.threadID }.value)
        }
        // One may not have finished with a task when the next is there.
        #expect(used.count < 10 && !used.contains(""))
    }

    @Test("come and go, and nothing that is handed to them is left", arguments: [1, 2, 8])
    func comeAndGo(limit: Int) async {
        // No patience at all: every thread that finds nothing to do is about to leave.
        let threads = BlockingThreads(limit: limit, patience: 0, starts: DetachedThread.startIfPossible)
        let crowd = Crowd()
        for _ in 0..<20 {
            await withTaskGroup { group in
                for _ in 0..<100 {
                    group.addTask(executorPreference: threads) { await crowd.visit() }
                }
            }
        }
        #expect(crowd.state.withLock { $0.all } == 2000)
        // They have nothing more to do, and go.
        while threads.count > 0 { await Task.yield() }
    }

    @Test("are done without where the system starts none, or no more") func noThreads() async {
        for startable in [0, 1, 3] {
            let left = Mutex(startable)
            let threads = BlockingThreads(limit: 8, patience: 0) { work in
                let mayStart = left.withLock { left in
                    left -= 1
                    return left >= 0
                }
                return mayStart && DetachedThread.startIfPossible(work)
            }
            let crowd = Crowd()
            await withTaskGroup { group in
                for _ in 0..<200 {
                    group.addTask(executorPreference: threads) { await crowd.visit() }
                }
            }
            #expect(crowd.state.withLock { $0.all } == 200, "\(startable)")
            while threads.count > 0 { await Task.yield() }
        }
    }

    @Test("may be the caller's own, which the work comes back to after every suspension") func first() async {
        let stayed = await DetachedThread.run {
            let caller = pthread_self()
            return FirstThread.run {
                var isSame = pthread_self() == caller
                for _ in 0..<20 {
                    await withCheckedContinuation { continuation in
                        DetachedThread.start { continuation.resume() }
                    }
                    isSame = isSame && pthread_self() == caller
                }
                async let child = pthread_self()
                let childIsHere = await child == caller
                return isSame && childIsHere ? 1 : 0
            }
        }
        #expect(stayed == 1)
    }
}
