internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import HTTPTypes
internal import Logging
internal import Synchronization

/// A command of the operator that decides whether a session key is admitted, such as one that verifies what a platform attests.
/// It reads the facts of the request as JSON from standard input. Exit status 0 admits the key.
final class AdmissionHook: Sendable {
    /// What the command learns about a request.
    struct Facts: Encodable {
        let version = 1
        let thumbprint: String
        let audience: String
        let client: String?
        let certificate: String?
        let attestation: String?
    }

    /// Runs of the command at the same time. Others are told to come back.
    private static let most = 4

    private let words: [String]
    private let limit: Duration
    private let running = Mutex(0)
    private let starting = Mutex(())
    private let queue = DispatchQueue(label: "admission hook", attributes: .concurrent)

    private let log: Logger

    init(_ words: [String], limit: Duration, log: Logger) {
        self.words = words
        self.limit = limit
        self.log = log
    }

    /// Whether the command admits a request. A command that can't be run, that fails or that takes too long does not.
    func admits(_ facts: Facts) async throws -> Bool {
        let input = Array(try JSONEncoder().encode(facts)) + [10]
        guard enter() else {
            throw Problem(
                .serviceUnavailable, "temporarily_unavailable", "Too many keys ask now. Try again.",
                retryAfter: 5)
        }
        defer { running.withLock { $0 -= 1 } }
        return await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: run(input)) }
        }
    }

    /// Counts a run, unless too many run already.
    private func enter() -> Bool {
        running.withLock { running in
            guard running < Self.most else { return false }
            running += 1
            return true
        }
    }
}

extension AdmissionHook {
    /// Runs the command until it ends or its time is over. Its standard error is the server's.
    private func run(_ input: [UInt8]) -> Bool {
        guard let (child, output) = start(input) else {
            log.error("the hook \(words[0]) can't be run, so it admits no key")
            return false
        }
        defer { close(output) }
        let deadline = ContinuousClock.now + limit
        Self.drain(output, until: deadline)
        let status = Self.status(of: child, until: deadline)
        if status == nil { log.warning("the hook \(words[0]) did not end by itself in time") }
        return status == 0
    }

    /// Starts the command. One at a time, so that no other command gets the pipes of this one.
    ///
    /// - Returns: its process, and the end of its output.
    private func start(_ input: [UInt8]) -> (child: pid_t, output: CInt)? {
        starting.withLock { _ in
            guard let stdin = Self.pipe() else { return nil }
            defer { close(stdin.reading) }
            // Written before there is a reader that could close: a pipe takes more than the longest facts.
            let isWritten = Self.write(input, to: stdin.writing)
            close(stdin.writing)
            guard isWritten, let stdout = Self.pipe() else { return nil }
            defer { close(stdout.writing) }
            guard let child = spawn(stdin.reading, stdout.writing) else {
                close(stdout.reading)
                return nil
            }
            return (child, stdout.reading)
        }
    }

    /// A pipe that the command does not inherit.
    private static func pipe() -> (reading: CInt, writing: CInt)? {
        var ends: [CInt] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { return nil }
        guard ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }) else {
            for end in ends { close(end) }
            return nil
        }
        return (ends[0], ends[1])
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { return false }
        return unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            == bytes.count
    }

    /// Starts the command in a process group of its own, with nothing of this process but a path.
    private func spawn(_ stdin: CInt, _ stdout: CInt) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard unsafe posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        guard unsafe posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        var all = sigset_t()
        unsafe sigfillset(&all)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        guard unsafe posix_spawnattr_setflags(&attributes, Int16(flags)) == 0,
            unsafe posix_spawnattr_setpgroup(&attributes, 0) == 0,
            unsafe posix_spawnattr_setsigmask(&attributes, &none) == 0,
            unsafe posix_spawnattr_setsigdefault(&attributes, &all) == 0,
            unsafe posix_spawn_file_actions_adddup2(&actions, stdin, 0) == 0,
            unsafe posix_spawn_file_actions_adddup2(&actions, stdout, 1) == 0,
            let files = Self.openFiles,
            files.allSatisfy({ unsafe posix_spawn_file_actions_addclose(&actions, $0) == 0 })
        else { return nil }
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [
            strdup("PATH=/usr/local/bin:/usr/bin:/bin"), nil,
        ]
        defer { unsafe environment.forEach { unsafe free($0) } }
        var child = pid_t()
        let result = unsafe posix_spawn(&child, words[0], &actions, &attributes, &arguments, &environment)
        return result == 0 ? child : nil
    }

    /// The descriptors of this process besides the standard ones; nil if they are not known. Libraries leave some of them open
    /// to programs.
    private static var openFiles: [CInt]? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else {
            return nil
        }
        return names.compactMap { CInt($0) }.filter { $0 > 2 }
    }

    /// Reads what the command says, and throws it away, until it closes its output.
    private static func drain(_ descriptor: CInt, until deadline: ContinuousClock.Instant) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&wait, 1, milliseconds(until: deadline))
            if ready < 0 && errno == EINTR { continue }
            guard ready > 0 else { return }
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
        }
    }

    /// The exit status; nil if a signal ended the command, or if it still runs at the deadline. Then it is killed.
    private static func status(of child: pid_t, until deadline: ContinuousClock.Instant) -> CInt? {
        var status: CInt = 0
        while true {
            let ended = unsafe waitpid(child, &status, WNOHANG)
            if ended == child { return status & 0x7f == 0 ? status >> 8 & 0xff : nil }
            if ended < 0 && errno != EINTR { return nil }
            if ContinuousClock.now >= deadline { break }
            // A command that has closed its output ends within moments.
            _ = poll(nil, 0, min(5, milliseconds(until: deadline)))
        }
        kill(-child, SIGKILL)
        kill(child, SIGKILL)
        while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
        return nil
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant) -> CInt {
        let (seconds, attoseconds) = (deadline - .now).components
        return CInt(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000))
    }
}
