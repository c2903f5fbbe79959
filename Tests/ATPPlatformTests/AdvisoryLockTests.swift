import ATPPlatform
import BskyAuthCovers
import CATPPlatform
import FoundationEssentials
import Glibc
import Testing

@Suite("AdvisoryLock", .timeLimit(.minutes(10))) final class AdvisoryLockTests {
    private let base = "/tmp/bskyauth-locks-\(UUID().uuidString)"
    private var path: String { base + "/lock" }

    init() throws {
        try PrivateDirectory.create(base)
    }

    deinit {
        try? FileSystem.removeTree(base)
    }

    private func isFree() throws -> Bool { try AdvisoryLock.tryAcquire(path) != nil }

    @Test func isHeldByOneAndNamesIt() async throws {
        let lock = try await AdvisoryLock.acquire(path, timeout: .zero)
        #expect(try !isFree())
        #expect(AdvisoryLock.holder(of: path) == getpid())
        await #expect(throws: LockError.busy(holder: getpid())) {
            _ = try await AdvisoryLock.acquire(self.path, timeout: .milliseconds(20))
        }
        #expect(throws: LockError.busy(holder: getpid())) {
            _ = try AdvisoryLock.acquireBlocking(self.path, timeout: .milliseconds(20))
        }
        _ = consume lock
        #expect(try isFree())
        #expect(AdvisoryLock.holder(of: path) == nil)
        #expect(try FileSystem.exists(path))
    }

    @Test func countsForNothingWithoutItsFile() async throws {
        let lock = try await AdvisoryLock.acquire(path, timeout: .zero)
        #expect(try lock.isCurrent())
        try FileSystem.remove(path)
        #expect(try !lock.isCurrent())
        let other = try await AdvisoryLock.acquire(path, timeout: .zero)
        #expect(try other.isCurrent())
        #expect(try !lock.isCurrent())
        _ = consume lock
        #expect(try !isFree())
        _ = consume other
        #expect(try isFree())
    }

    @Test func isNotKeptByAStoppedProcess() async throws {
        await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
            var every = sigset_t()
            unsafe sigfillset(&every)
            unsafe pthread_sigmask(SIG_UNBLOCK, &every, nil)
            let lock = try await AdvisoryLock.acquire(path, timeout: .zero)
            raise(SIGTSTP)
            guard bskyauth_signals_pending() != 0 else { exit(1) }
            raise(SIGCONT)
            _ = consume lock
            exit(bskyauth_signals_pending() == 0 ? 0 : 2)
        }
    }

    @Test func isGivenToWhoWaits() async throws {
        let lock = try await AdvisoryLock.acquire(path, timeout: .zero)
        let (found, finding) = AsyncStream<Bool>.makeStream()
        let waiter = Task { [path] in
            defer { finding.finish() }
            finding.yield(try AdvisoryLock.tryAcquire(path) == nil)
            finding.finish()
            let lock = try await AdvisoryLock.acquire(path, timeout: .seconds(600))
            _ = consume lock
        }
        for await isTaken in found { #expect(isTaken) }
        _ = consume lock
        try await waiter.value
    }

    @Test func stopsWaitingWhenCancelled() async throws {
        let lock = try await AdvisoryLock.acquire(path, timeout: .zero)
        let waiter = Task { [path] in _ = try await AdvisoryLock.acquire(path, timeout: .seconds(600)) }
        waiter.cancel()
        await #expect(throws: LockError.cancelled) { try await waiter.value }
        _ = consume lock
    }

    @Test(.covers("R63")) func isNeverHeldByTwo() async throws {
        let counter = base + "/counter"
        try AtomicFile.write([0], to: counter)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { [path] in
                    let lock = try await AdvisoryLock.acquire(path, timeout: .seconds(600))
                    let count = try PrivateFile.read(counter, limit: 1)[0]
                    await Task.yield()
                    try AtomicFile.write([count + 1], to: counter, durably: false)
                    _ = consume lock
                }
            }
            try await group.waitForAll()
        }
        #expect(try PrivateFile.read(counter, limit: 1) == [20])
    }

    @Test func refusesAFileThatIsNoLock() throws {
        #expect(unsafe symlink("/etc/passwd", path) == 0)
        #expect(throws: LockError.access(.symlink)) { _ = try AdvisoryLock.tryAcquire(self.path) }
        #expect(throws: LockError.access(.missing)) {
            _ = try AdvisoryLock.tryAcquire(self.base + "/missing/lock")
        }
    }

    @Test func isLetGoByAKilledProcess() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let lock = try AdvisoryLock.tryAcquire(path)
            kill(getpid(), SIGKILL)
            _ = consume lock
        }
        #expect(try isFree())
    }
}
