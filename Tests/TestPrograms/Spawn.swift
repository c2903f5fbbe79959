import CATPPlatform
import Foundation
import Synchronization

/// Starts programs with posix_spawn.
///
/// Foundation's `Process` is not used, because tests run in parallel. When many processes start at once, its `run()`
/// sometimes traps while it reads /proc/self/fd. Its `waitUntilExit()` blocks a thread of the cooperative pool.
enum Spawn {
    struct Failed: Error {
        let path: String
        let errno: Int32
    }

    /// How a program ended.
    struct Ending: Sendable {
        /// The exit status, or the signal that ended it.
        let status: Int32
        let wasSignalled: Bool
        /// Whether the kernel has written a core file.
        let dumpedCore: Bool
    }

    /// What one of the standard streams is connected to.
    enum Stream {
        case file(String)
        case descriptor(Int32)

        static let nothing = Stream.file("/dev/null")
    }

    /// Starts a program with exactly these descriptors open.
    static func start(
        _ path: String, _ arguments: [String], environment: [String: String], input: Stream, output: Stream,
        errors: Stream, directory: String?
    ) throws -> Child {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in [input, output, errors].enumerated() {
            let number = Int32(number)
            switch stream {
            case .file(let path):
                let flags = number == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
                unsafe posix_spawn_file_actions_addopen(&actions, number, path, flags, 0o600)
            case .descriptor(let descriptor):
                unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            }
        }
        _ = unsafe bskyauth_spawn_closing_others(&actions)
        // Threads of the cooperative pool block signals, and children would inherit that.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let command = directory.map { ["/usr/bin/env", "-C", $0, path] } ?? [path]
        var child: pid_t = 0
        let status = unsafe withCStrings(command + arguments) { arguments in
            unsafe withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
                unsafe posix_spawn(&child, command[0], &actions, &attributes, arguments, variables)
            }
        }
        guard status == 0 else { throw Failed(path: path, errno: status) }
        return Child(child)
    }

    /// A started program, which is waited for on a thread of its own.
    final class Child: Sendable {
        let number: pid_t
        private let hasEnded = Mutex(false)
        private let ending = DispatchGroup()
        private let endings: Task<Ending, Never>

        fileprivate init(_ number: pid_t) {
            self.number = number
            let (stream, continuation) = AsyncStream<Ending>.makeStream()
            endings = Task {
                for await ending in stream { return ending }
                return Ending(status: -1, wasSignalled: false, dumpedCore: false)
            }
            ending.enter()
            Thread.detachNewThread {
                continuation.yield(self.waited())
                continuation.finish()
                self.ending.leave()
            }
        }

        /// Waits for the end, and gives the number back to the kernel.
        private func waited() -> Ending {
            var state = unsafe siginfo_t()
            while unsafe waitid(P_PID, id_t(number), &state, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            var status: Int32 = 0
            hasEnded.withLock { hasEnded in
                hasEnded = true
                _ = unsafe waitpid(number, &status, 0)
            }
            let signal = status & 0x7f
            return Ending(
                status: signal == 0 ? status >> 8 & 0xff : signal, wasSignalled: signal != 0,
                dumpedCore: status & 0x80 != 0)
        }

        /// Sends a signal, unless the program has ended: its number may be that of another process by now.
        func signal(_ number: Int32) {
            hasEnded.withLock { hasEnded in
                if !hasEnded { kill(self.number, number) }
            }
        }

        /// How the program ended, when it has.
        var result: Ending { get async { await endings.value } }

        var isRunning: Bool { hasEnded.withLock { !$0 } }

        /// Waits for the end, for code that can't await.
        func waitForEnd() { ending.wait() }
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
            capacity: strings.count + 1)
        for (index, string) in strings.enumerated() { unsafe pointers[index] = unsafe strdup(string) }
        unsafe pointers[strings.count] = nil
        defer {
            for index in strings.indices { unsafe free(pointers[index]) }
            unsafe pointers.deallocate()
        }
        return unsafe body(pointers)
    }
}
