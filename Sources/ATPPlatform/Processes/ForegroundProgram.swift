internal import CATPPlatform
internal import Glibc

/// A program that has the terminal, as a shell's own child would.
///
/// It stays in the process group of this process, so that Ctrl-C, Ctrl-Z and reading from the terminal work. Meanwhile
/// this process ignores INT and QUIT, which the terminal sends to both, and passes on TERM and HUP. It stops when the
/// program stops, and continues with it.
package enum ForegroundProgram {
    /// Runs a program to its end, with the standard streams of this process.
    package static func run(
        _ command: [String], environment: [String: String]
    ) async throws(SystemError) -> ChildProcess.Ending {
        let ignored = bskyauth_forward_signals_begin()
        defer { bskyauth_forward_signals_end() }
        let obeyed = (ignored & 1 == 0 ? [SIGINT] : []) + (ignored & 2 == 0 ? [SIGQUIT] : [])
        let child = try ChildProcess.spawn(
            command, environment, input: 0, output: 1, place: .foreground, obeyed: obeyed)
        bskyauth_forward_signals_to(child)
        return try await BlockingWork.run {
            Result { () throws(SystemError) in try wait(for: child) }
        }.get()
    }

    private static func wait(for child: pid_t) throws(SystemError) -> ChildProcess.Ending {
        while true {
            var information = unsafe siginfo_t()
            // The end stays to be waited for, so that no signal goes to another process with the same number.
            try SystemError.retrying("waitid", "") {
                unsafe waitid(P_PID, id_t(child), &information, WEXITED | WSTOPPED | WNOWAIT)
            }
            guard unsafe information.si_code == CLD_STOPPED else { break }
            var status: Int32 = 0
            try SystemError.retrying("waitpid", "") { unsafe waitpid(child, &status, WUNTRACED | WNOHANG) }
            if isStopped(child) {
                SignalHold.stop()
                // A shell continues both. This signal would undo a stop that came since.
                if !hasMoved(child) { kill(child, SIGCONT) }
            }
        }
        bskyauth_forward_signals_to(0)
        var status: Int32 = 0
        try SystemError.retrying("waitpid", "") { unsafe waitpid(child, &status, 0) }
        return ChildProcess.ending(ofStatus: status)
    }

    /// Whether the program has continued since the stop that was waited for.
    private static func hasMoved(_ child: pid_t) -> Bool {
        var information = unsafe siginfo_t()
        let events = WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT
        return unsafe waitid(P_PID, id_t(child), &information, events) == 0 && information.si_signo != 0
    }

    /// Whether the program is stopped, and stays so for a moment. A signal to continue goes to both processes, but not at
    /// the same time.
    private static func isStopped(_ child: pid_t) -> Bool {
        for _ in 1...10 {
            guard let line = try? InputFile.read("/proc/\(child)/stat", limit: 4096),
                // The name of the program, in brackets, may hold anything.
                let end = line.lastIndex(of: UInt8(ascii: ")")), line.count > end + 2,
                line[end + 2] == UInt8(ascii: "T")
            else { return false }
            usleep(5_000)
        }
        return true
    }
}
