internal import Glibc

/// Counts what threads wait for, and lets them sleep while there is none.
@safe final class Semaphore: Sendable {
    private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        unsafe semaphore = .allocate(capacity: 1)
        guard unsafe sem_init(semaphore, 0, 0) == 0 else { preconditionFailure("no semaphore") }
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    func signal() {
        unsafe sem_post(semaphore)
    }

    /// Takes one, as soon as there is one.
    func wait() {
        while unsafe sem_wait(semaphore) != 0 {}
    }

    /// Takes one, where there is one within so many seconds by the clock on the wall.
    func wait(seconds: Int) -> Bool {
        var deadline = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &deadline)
        deadline.tv_sec += seconds
        while unsafe sem_timedwait(semaphore, &deadline) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }
}
