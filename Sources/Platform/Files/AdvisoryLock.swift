#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The exclusive lock of a file among the processes that ask for it. It is released when this value is dropped, or when
/// the process ends in whatever way. The file stays, because two processes could hold "the" lock if it were removed.
/// If somebody removes it all the same, the lock of the file that lost its name counts for nothing
/// (``isCurrent()``).
package struct AdvisoryLock: ~Copyable, Sendable {
    private let file: OpenFile

    private init(_ file: consuming OpenFile) {
        self.file = file
    }

    // The pid is only ever changed under the lock. Closing would not do: between its fork and its exec a child
    // has the descriptor too, and with it the lock.
    deinit {
        _ = ftruncate(file.descriptor, 0)
        flock(file.descriptor, LOCK_UN)
    }

    /// How often the lock is tried again after its file was replaced between its opening and its locking.
    private static let attempts = 3

    /// Takes the lock if nobody holds it.
    ///
    /// - Throws: ``LockError/busy(holder:)`` where the file is replaced again and again.
    package static func tryAcquire(_ path: String) throws(LockError) -> AdvisoryLock? {
        do {
            for _ in 1...attempts {
                let file = try open(path)
                guard try lock(file) else { return nil }
                guard try hasItsName(file) else { continue }
                try file.setMode(0o600)
                // For the message to a process that waits; the lock is as good without it.
                do { try file.overwrite(Array("\(getpid())\n".utf8)) } catch {}
                return AdvisoryLock(file)
            }
        } catch {
            throw .access(FileAccessError(error))
        }
        throw .busy(holder: holder(of: path))
    }

    /// Whether the path still leads to the file that is locked. Where it does not, another process can hold the lock of
    /// the file that is there now.
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

    /// Takes the lock, waiting for whoever holds it.
    ///
    /// - Throws: ``LockError/busy(holder:)`` after `timeout`, ``LockError/cancelled`` when the task is.
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

    /// Takes the lock, blocking the thread. Only for locks that are held for the time of a few writes.
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

    /// The process that says it holds the lock, which may have ended since.
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
            try SystemError.retrying("flock", file.path) { flock(descriptor, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            guard error.errno == EWOULDBLOCK else { throw error }
            return false
        }
    }
}

/// Why a lock was not taken.
package enum LockError: Error, Sendable, Hashable {
    /// Another holds it, perhaps the process named.
    case busy(holder: Int32?)
    /// The task was cancelled while it waited.
    case cancelled
    /// Its file cannot be used.
    case access(FileAccessError)
}
