internal import CATPPlatform
internal import Glibc

/// Starts programs without a shell.
package enum ChildProcess {
    /// Starts a program and does not wait for it.
    ///
    /// Standard input and output are /dev/null. Standard error is that of this process, so that the user sees complaints.
    /// The program has a process group of its own, so that Ctrl-C does not reach it.
    ///
    /// - Returns: the process, for ``failure(of:within:)``.
    @discardableResult
    package static func start(
        _ command: [String], environment: [String: String]
    ) throws(SystemError) -> Int32 {
        try spawn(command, environment, input: nil, output: nil, place: .ownGroup)
    }

    /// How a started program ended, if it failed within a time; nil if it succeeded or still runs.
    package static func failure(of child: Int32, within time: Duration) async -> Ending? {
        let deadline = ContinuousClock.now.advanced(by: time)
        var status: Int32 = 0
        while unsafe waitpid(child, &status, WNOHANG) == 0 {
            guard ContinuousClock.now < deadline else { return nil }
            // Polling needs no thread and no handler for SIGCHLD.
            do { try await Task.sleep(for: .milliseconds(50)) } catch { return nil }
        }
        let ending = ending(ofStatus: status)
        return ending == .exited(0) ? nil : ending
    }

    static func ending(ofStatus status: Int32) -> Ending {
        let signal = status & 0x7f
        return signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
    }

    /// Runs a program to its end and returns what it wrote to standard output. Blocks the calling thread.
    ///
    /// - Returns: nil if the exit status is not 0, or the program wrote more than `limit` bytes.
    package static func output(
        of command: [String], environment: [String: String], limit: Int
    ) throws(SystemError) -> [UInt8]? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .last("pipe", command[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child: pid_t
        do throws(SystemError) {
            child = try spawn(command, environment, input: nil, output: ends[1], place: .foreground)
        } catch {
            for end in ends { close(end) }
            throw error
        }
        close(ends[1])
        // One byte past the limit shows that there is more.
        let output = Result { () throws(SystemError) in
            try InputFile.read(ends[0], limit: limit + 1, command[0])
        }
        // Closed before the wait: otherwise a child with more to write would wait for us.
        close(ends[0])
        var status: Int32 = 0
        try SystemError.retrying("waitpid", command[0]) { unsafe waitpid(child, &status, 0) }
        let bytes = try output.get()
        return status == 0 && bytes.count <= limit ? bytes : nil
    }

    /// Where a program runs.
    enum Place {
        /// In the process group of this process, so that Ctrl-C reaches it.
        case foreground
        case ownGroup
        /// In a session of its own, without a terminal.
        case ownSession

        fileprivate var flag: Int16 {
            switch self {
            case .foreground: 0
            case .ownGroup: Int16(POSIX_SPAWN_SETPGROUP)
            case .ownSession: bskyauth_spawn_new_session()
            }
        }
    }

    /// - Parameters:
    ///   - program: the file to start; nil to search for the first word of the command.
    ///   - isQuiet: whether standard error is /dev/null.
    ///   - obeyed: signals that the program obeys even if this process ignores them.
    static func spawn(
        _ command: [String], _ environment: [String: String], program: String? = nil, input: Int32?,
        output: Int32?, place: Place, isQuiet: Bool = false, obeyed: [Int32] = []
    ) throws(SystemError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if let input {
            unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        if let output {
            unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        if isQuiet { unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        // Close-on-exec is not enough: another thread may just have opened a file without it.
        _ = unsafe bskyauth_spawn_closing_others(&actions)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // This process ignores SIGPIPE, and threads of the cooperative pool block most signals. A child would inherit both.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE] + obeyed { unsafe sigaddset(&signals, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | place.flag)
        var child: pid_t = 0
        let status = unsafe withCStrings(command) { arguments in
            unsafe withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
                unsafe posix_spawnp(
                    &child, program ?? command[0], &actions, &attributes, arguments, variables)
            }
        }
        guard status == 0 else { throw SystemError(errno: status, operation: "start", path: command[0]) }
        return child
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

// MARK: - Input and time limit

extension ChildProcess {
    /// How a program ended.
    package enum Ending: Sendable, Hashable {
        /// It ended with this exit status.
        case exited(Int32)
        /// This signal ended it, and this process did not send it.
        case signalled(Int32)
        /// It was killed because its time was over, with everything it had started that kept the mark.
        case timedOut
        /// It was killed in the same way because it was not wanted any more.
        case interrupted
    }

    /// Runs a program to its end, with these bytes as its standard input.
    ///
    /// The bytes are in memory and never on a disk. Standard output is /dev/null, standard error is that of this process.
    /// Cancelling the calling task does not end the program.
    ///
    /// - Parameters:
    ///   - mark: the name of a variable that is set for the program, to a value of its own. Processes that have it are
    ///     killed with the program, even if they have left its process group.
    ///   - isUnwanted: called while the program runs. If it returns true, the program is killed.
    package static func run(
        _ command: [String], environment: [String: String], mark: String, input: [UInt8], timeout: Duration,
        unless isUnwanted: @escaping @Sendable () -> Bool
    ) async throws(SystemError) -> Ending {
        var environment = environment
        let value = "\(getpid())-\(UInt64.random(in: 0 ... .max))"
        environment[mark] = value
        let child = try start(command, environment, input)
        let ending = await BlockingWork.run {
            Result { () throws(SystemError) in
                let ending = try wait(for: child, timeout, isUnwanted)
                if ending == .timedOut || ending == .interrupted { killAll(having: "\(mark)=\(value)") }
                return ending
            }
        }
        return try ending.get()
    }

    private static func start(
        _ command: [String], _ environment: [String: String], _ input: [UInt8]
    ) throws(SystemError) -> pid_t {
        let file = try memoryFile(for: command)
        defer { close(file) }
        try FileDescriptor.writeAll(input, to: file, path: command[0])
        try rewind(file, command)
        return try spawn(command, environment, input: file, output: nil, place: .ownGroup)
    }

    /// Runs a program for at most this time, and returns what it wrote to standard output. Blocks the calling thread.
    ///
    /// Standard error is /dev/null. A program whose time is over is killed.
    ///
    /// - Returns: nil if the exit status is not 0, the time was over, or the program wrote more than `limit` bytes.
    package static func output(
        of command: [String], environment: [String: String], limit: Int, within timeout: Duration
    ) throws(SystemError) -> [UInt8]? {
        // A pipe would stay open as long as any process that the program started.
        let file = try memoryFile(for: command)
        defer { close(file) }
        let child = try spawn(
            command, environment, input: nil, output: file, place: .foreground, isQuiet: true)
        guard try wait(for: child, timeout, { false }) == .exited(0) else { return nil }
        try rewind(file, command)
        let bytes = try InputFile.read(file, limit: limit + 1, command[0])
        return bytes.count <= limit ? bytes : nil
    }

    private static func memoryFile(for command: [String]) throws(SystemError) -> Int32 {
        let file = bskyauth_memory_file()
        guard file >= 0 else { throw .last("memfd_create", command[0]) }
        return file
    }

    private static func rewind(_ file: Int32, _ command: [String]) throws(SystemError) {
        try SystemError.retrying("lseek", command[0]) { lseek(file, 0, SEEK_SET) }
    }

    /// Waits for the end of a child, and kills it if its time is over or it is not wanted any more. Blocks the thread.
    ///
    /// It polls, because `isUnwanted` has to be called, and older kernels and many containers have no pidfd_open(2).
    private static func wait(
        for child: pid_t, _ timeout: Duration, _ isUnwanted: () -> Bool
    ) throws(SystemError) -> Ending {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        var status: Int32 = 0
        while try SystemError.retrying("waitpid", "", { unsafe waitpid(child, &status, WNOHANG) }) == 0 {
            let isOver = ContinuousClock.now >= deadline
            guard isOver || isUnwanted() else {
                usleep(5_000)
                continue
            }
            // Most children begin in a process group of their own, but may leave it.
            kill(-child, SIGKILL)
            kill(child, SIGKILL)
            try SystemError.retrying("waitpid", "") { unsafe waitpid(child, &status, 0) }
            return isOver ? .timedOut : .interrupted
        }
        return ending(ofStatus: status)
    }

    /// The longest environment that is searched, in bytes.
    private static let longestEnvironment = 1 << 20

    /// Kills the processes of this user that have a variable, and those that they start meanwhile.
    private static func killAll(having variable: String) {
        // A killed process may need a moment to end. One that can't end is left after half a second.
        for _ in 1...100 {
            let processes = processes(having: variable)
            if processes.isEmpty { return }
            for process in processes { kill(process, SIGKILL) }
            usleep(5_000)
        }
    }

    private static func processes(having variable: String) -> [pid_t] {
        let wanted = Array(variable.utf8)
        let names = (try? FileSystem.names(in: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            // The environments of other users and of hardened processes can't be read.
            let environment = try? InputFile.read("/proc/\(process)/environ", limit: longestEnvironment)
            return environment?.split(separator: 0).contains { $0.elementsEqual(wanted) } ?? false
        }
    }
}
