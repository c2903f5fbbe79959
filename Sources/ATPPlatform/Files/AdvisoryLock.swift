internal import Glibc

/// The exclusive lock of a file among the processes that ask for it.
///
/// The lock is released with this value, or when the process ends for any reason. The file stays, because two processes
/// could hold "the" lock if it were removed. If another program removes it, the lock of the removed file counts for
/// nothing (``isCurrent()``).
package struct AdvisoryLock: ~Copyable, Sendable {
    private let file: OpenFile

    // A process that is stopped keeps its locks, so Ctrl-Z waits until the lock is released.
    private init(_ file: consuming OpenFile) {
        self.file = file
        SignalHold.begin(.stop)
    }

    // The pid in the file changes only under the lock. Closing the file is not enough to release the lock: between its
    // fork and its exec, a child has the descriptor too, and with it the lock.
    deinit {
        _ = ftruncate(file.descriptor, 0)
        flock(file.descriptor, LOCK_UN)
        SignalHold.end(.stop)
    }

    /// The attempts if the file is replaced between its opening and its locking.
    private static let attempts = 3

    /// Takes the lock if it is free.
    ///
    /// - Returns: nil if the lock is taken.
    /// - Throws: ``LockError/busy(holder:)`` if the file is replaced in each attempt.
    package static func tryAcquire(_ path: String) throws(LockError) -> AdvisoryLock? {
        do {
            for _ in 1...attempts {
                let file = try open(path)
                guard try lock(file) else { return nil }
                guard try hasItsName(file) else { continue }
                try file.setMode(0o600)
                // The pid is for the message of a process that waits. The lock is valid without it.
                do { try file.overwrite(Array("\(getpid())\n".utf8)) } catch {}
                return AdvisoryLock(file)
            }
        } catch {
            throw .access(FileAccessError(error))
        }
        throw .busy(holder: holder(of: path))
    }

    /// The system call that takes a lock.
    static let call = "flock"

    /// Checks that a lock keeps others out: on some network file systems, everybody gets it.
    ///
    /// - Throws: ``LockError/access(_:)`` with the error of a file system without locks.
    package static func verify(_ path: String) throws(LockError) {
        // If another process has the lock, it keeps this one out.
        guard let lock = try tryAcquire(path), try tryAcquire(path) != nil else { return }
        _ = consume lock
        throw .access(.system(SystemError(errno: ENOLCK, operation: call, path: path)))
    }

    /// Whether the path still leads to the locked file. If it does not, another process may hold the lock of the file
    /// that is there now.
    package func isCurrent() throws(LockError) -> Bool {
        do { return try Self.hasItsName(file) } catch { throw .access(FileAccessError(error)) }
    }

    private static func hasItsName(_ file: borrowing OpenFile) throws(SystemError) -> Bool {
        let own = try file.status()
        do {
            return try FileSystem.status(file.path).isSameFile(as: own)
        } catch {
            guard error.isMissing else { throw error }
            return false
        }
    }

    /// Takes the lock, and suspends while it is taken.
    ///
    /// - Throws: ``LockError/busy(holder:)`` after `timeout`, ``LockError/cancelled`` if the task is cancelled.
    package static func acquire(_ path: String, timeout: Duration) async throws(LockError) -> AdvisoryLock {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        var pause = Duration.milliseconds(5)
        while true {
            if let lock = try tryAcquire(path) { return lock }
            let rest = ContinuousClock.now.duration(to: deadline)
            guard rest > .zero else { throw .busy(holder: holder(of: path)) }
            do {
                try await Task.sleep(for: min(pause, rest))
            } catch {
                throw .cancelled
            }
            pause = min(pause * 2, .milliseconds(50))
        }
    }

    /// Takes the lock, and blocks the thread while it is taken. Only for locks that are held during a few writes, which
    /// block as well. Call it on the main thread or on ``BlockingWork``, not on the cooperative pool.
    ///
    /// It polls, because flock(2) has no time-out.
    ///
    /// - Throws: ``LockError/busy(holder:)`` after `timeout`.
    package static func acquireBlocking(
        _ path: String, timeout: Duration
    ) throws(LockError) -> AdvisoryLock {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while true {
            if let lock = try tryAcquire(path) { return lock }
            guard ContinuousClock.now < deadline else { throw .busy(holder: holder(of: path)) }
            usleep(5_000)
        }
    }

    /// The process that the file names as the holder. It may have ended since.
    package static func holder(of path: String) -> Int32? {
        do {
            let text = String(decoding: try PrivateFile.read(path, limit: 32), as: UTF8.self)
            return Int32(text.prefix { $0 != "\n" })
        } catch {
            return nil
        }
    }

    private static func open(_ path: String) throws(SystemError) -> OpenFile {
        try OpenFile(path, flags: O_RDWR | O_CREAT | O_NONBLOCK, mode: 0o600)
    }

    private static func lock(_ file: borrowing OpenFile) throws(SystemError) -> Bool {
        let descriptor = file.descriptor
        do {
            try SystemError.retrying(Self.call, file.path) { flock(descriptor, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            guard error.errno == EWOULDBLOCK else { throw error }
            return false
        }
    }
}

/// Why the lock was not taken.
package enum LockError: Error, Sendable, Hashable {
    /// Another process holds it, which the file may name.
    case busy(holder: Int32?)
    /// The task was cancelled while it waited.
    case cancelled
    /// Its file can't be used.
    case access(FileAccessError)
}
