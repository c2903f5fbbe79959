internal import CPlatform
internal import Glibc

extension ChildProcess {
    /// How a program ended.
    package enum Ending: Sendable, Hashable {
        /// With this exit status.
        case exited(Int32)
        /// By this signal, which was not ours.
        case signalled(Int32)
        /// It was killed with everything it had started, since its time was over.
        case timedOut
        /// It was killed in the same way, since nobody wanted it any more.
        case interrupted
    }

    /// Runs a program to its end, with these bytes as its standard input.
    ///
    /// They are in memory and never on a disk. Standard output goes nowhere, standard error is ours. It is not
    /// ended with the asking task.
    ///
    /// - Parameter isUnwanted: asked while it runs; where it says so the program is killed.
    package static func run(
        _ command: [String], environment: [String: String], input: [UInt8], timeout: Duration,
        unless isUnwanted: @escaping @Sendable () -> Bool
    ) async throws(SystemError) -> Ending {
        let child = try start(command, environment, input)
        let ending = await BlockingWork.run {
            Result { () throws(SystemError) in try end(child, timeout, isUnwanted) }
        }
        return try ending.get()
    }

    private static func start(
        _ command: [String], _ environment: [String: String], _ input: [UInt8]
    ) throws(SystemError) -> pid_t {
        let file = bskyauth_memory_file()
        guard file >= 0 else { throw .last("memfd_create", command[0]) }
        defer { close(file) }
        try FileDescriptor.writeAll(input, to: file, path: command[0])
        try SystemError.retrying("lseek", command[0]) { lseek(file, 0, SEEK_SET) }
        return try spawn(command, environment, input: file, output: nil, isForeground: false)
    }

    /// Waits for the end, and brings it about when the time is over or nobody wants more. Blocks the thread.
    ///
    /// It looks now and then: to be woken by an end takes pidfd_open(2), which older kernels and many containers
    /// don't have.
    private static func end(
        _ child: pid_t, _ timeout: Duration, _ isUnwanted: () -> Bool
    ) throws(SystemError) -> Ending {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        var status: Int32 = 0
        while try SystemError.retrying("waitpid", "", { unsafe waitpid(child, &status, WNOHANG) }) == 0 {
            let isOver = ContinuousClock.now >= deadline
            guard isOver || isUnwanted() else {
                usleep(5_000)
                continue
            }
            // Its own group: what it has started as well.
            kill(-child, SIGKILL)
            try SystemError.retrying("waitpid", "") { unsafe waitpid(child, &status, 0) }
            return isOver ? .timedOut : .interrupted
        }
        let signal = status & 0x7f
        return signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
    }
}
