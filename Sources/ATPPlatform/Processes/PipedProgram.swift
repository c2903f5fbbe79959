internal import Glibc
internal import Synchronization

/// A program in the foreground, such as a pager. It reads what this process writes to it.
package final class PipedProgram: Sendable {
    private let name: String
    private let process: pid_t
    /// nil after ``close()``.
    private let input: Mutex<OpenFile?>
    /// nil until its end was waited for.
    private let status = Mutex<Int32?>(nil)

    /// Starts a program. Its output is that of this process.
    package init(_ command: [String], environment: [String: String]) throws(SystemError) {
        name = command[0]
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .last("pipe", command[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let output = OpenFile(descriptor: ends[0], path: command[0])
        input = Mutex(OpenFile(descriptor: ends[1], path: command[0]))
        process = try ChildProcess.spawn(
            command, environment, input: output.descriptor, output: StandardStream.output.rawValue,
            place: .foreground)
    }

    /// Writes all bytes and waits until the program has taken them, but for what fits into a pipe.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try input.withLock { input throws(SystemError) in
            guard let descriptor = input?.descriptor else { return }
            try FileDescriptor.writeAll(bytes, to: descriptor, path: name)
        }
    }

    /// Tells the program that nothing follows.
    package func close() {
        input.withLock { $0 = nil }
    }

    /// Waits for the end of the program, or for a held signal that will end this process. Blocks the calling thread.
    package func waitUntilSignal() {
        while !hasEnded(WNOHANG), !SignalHold.endsProcess { usleep(20_000) }
    }

    /// Waits for the end of the program. Blocks the calling thread.
    ///
    /// - Returns: how it ended.
    package func wait() -> ChildProcess.Ending {
        while !hasEnded(0) {}
        return ChildProcess.ending(ofStatus: status.withLock { $0 ?? 0 })
    }

    /// - Parameter options: those of waitpid(2).
    private func hasEnded(_ options: Int32) -> Bool {
        status.withLock { status in
            if status != nil { return true }
            var found: Int32 = 0
            let child = unsafe waitpid(process, &found, options)
            if child == process { status = found }
            // Any other error than an interruption means that there is nothing to wait for.
            return child == process || child < 0 && errno != EINTR
        }
    }
}
