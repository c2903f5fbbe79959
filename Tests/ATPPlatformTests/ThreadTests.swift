import Foundation
import Synchronization
import Testing

@testable import ATPPlatform

@Suite("Executors", .timeLimit(.minutes(10))) struct ThreadTests {
    /// Counts the jobs: those that run now, the most at once, and all.
    private final class Crowd: Sendable {
        let state = Mutex((now: 0, most: 0, all: 0))

        func enter() {
            state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) }
        }

        func leave() { state.withLock { $0.now -= 1 } }

        /// Gives the thread to another job in the middle.
        func visit() async {
            enter()
            await Task.yield()
            leave()
        }
    }

    /// The kernel's id of this thread.
    private static var threadID: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
    }

    @Test("blocking jobs each have a thread, up to the limit") func atOnce() async {
        let crowd = Crowd()
        await withTaskGroup { group in
            let work = BlockingWork(limit: 5)
            for _ in 0..<5 {
                group.addTask(executorPreference: work) {
                    crowd.enter()
                    while crowd.state.withLock({ $0.all < 5 }) { sched_yield() }
                }
            }
        }
        #expect(crowd.state.withLock { $0.most } == 5)
    }

    @Test("there are no more threads than the limit, and every queued job is done") func limit() async {
        let crowd = Crowd()
        await withTaskGroup { group in
            let work = BlockingWork(limit: 2)
            for _ in 0..<50 {
                group.addTask(executorPreference: work) {
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

    @Test("an idle thread is used again") func again() async {
        let work = BlockingWork(limit: 64, idleTime: .seconds(600))
        var used: Set<String> = []
        for _ in 0..<100 {
            used.insert(await Task(executorPreference: work) { ThreadTests.threadID }.value)
            // The thread is still busy for a moment after the task has given its value.
            while work.threads.idle == 0 { await Task.yield() }
        }
        #expect(used.count == 1 && !used.contains(""))
        #expect(work.threads == (all: 1, idle: 1))
    }

    @Test("threads come and go, and no job is left behind", arguments: [1, 2, 8])
    func comeAndGo(limit: Int) async {
        // Each thread that finds no job is about to end.
        let work = BlockingWork(limit: limit, idleTime: .nanoseconds(0))
        let crowd = Crowd()
        for _ in 0..<20 {
            await withTaskGroup { group in
                for _ in 0..<100 {
                    group.addTask(executorPreference: work) { await crowd.visit() }
                }
            }
        }
        #expect(crowd.state.withLock { $0.all } == 2000)
        while work.threads.all > 0 { await Task.yield() }
    }

    @Test("jobs are done where the system can't start a thread, or not another one") func noThreads() async {
        for startable in [0, 1, 3] {
            let left = Mutex(startable)
            let work = BlockingWork(limit: 8, idleTime: .nanoseconds(0)) { work in
                let mayStart = left.withLock { left in
                    left -= 1
                    return left >= 0
                }
                return mayStart && work.startThread()
            }
            let crowd = Crowd()
            await withTaskGroup { group in
                for _ in 0..<200 {
                    group.addTask(executorPreference: work) { await crowd.visit() }
                }
            }
            #expect(crowd.state.withLock { $0.all } == 200, "\(startable)")
            while work.threads.all > 0 { await Task.yield() }
        }
    }

    @Test("work is not cancelled with the task that waits for it") func notCancelled() async {
        let waiter = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await BlockingWork.run { Task.isCancelled }
        }
        #expect(await !waiter.value)
    }

    @Test("a command stays on the main thread after every suspension") func mainThread() async {
        let stayed = await BlockingWork.run {
            // Any thread that runs nothing else may be the main thread.
            let caller = pthread_self()
            return MainThreadExecutor.run {
                var isSame = pthread_self() == caller
                for _ in 0..<20 {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread { continuation.resume() }
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
