internal import CPlatform
internal import Glibc

/// Programs that are started without a shell.
package enum ChildProcess {
    /// Starts a program and does not wait for it: standard input and output are /dev/null, standard error is
    /// ours, so that what it complains about is seen. An interrupt at the keyboard is not for it.
    package static func start(_ command: [String], environment: [String: String]) throws(SystemError) {
        _ = try spawn(command, environment, input: nil, output: nil, isForeground: false)
    }

    /// Runs a program to its end and gives what it wrote to standard output.
    ///
    /// Blocks the calling thread. nil where the program did not end with status 0, or wrote more than `limit`
    /// bytes.
    package static func output(
        of command: [String], environment: [String: String], limit: Int
    ) throws(SystemError) -> [UInt8]? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .last("pipe", command[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child: pid_t
        do throws(SystemError) {
            child = try spawn(command, environment, input: nil, output: ends[1], isForeground: true)
        } catch {
            for end in ends { close(end) }
            throw error
        }
        close(ends[1])
        // One byte past the limit is enough to know that there is more.
        let output = Result { () throws(SystemError) in
            try InputFile.read(ends[0], limit: limit + 1, command[0])
        }
        // Before the wait: a child that has more to write would wait for us in turn.
        close(ends[0])
        var status: Int32 = 0
        try SystemError.retrying("waitpid", command[0]) { unsafe waitpid(child, &status, 0) }
        let bytes = try output.get()
        return status == 0 && bytes.count <= limit ? bytes : nil
    }

    static func spawn(
        _ command: [String], _ environment: [String: String], input: Int32?, output: Int32?,
        isForeground: Bool
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
        // What other threads have open at this moment, close-on-exec or not yet.
        _ = unsafe bskyauth_spawn_closing_others(&actions)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // We ignore SIGPIPE, and the threads that tasks run on block most signals: children inherit both.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let ownGroup = isForeground ? 0 : POSIX_SPAWN_SETPGROUP
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | ownGroup))
        var child: pid_t = 0
        let status = unsafe withCStrings(command) { arguments in
            unsafe withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
                unsafe posix_spawnp(&child, command[0], &actions, &attributes, arguments, variables)
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
