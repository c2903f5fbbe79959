internal import Glibc

/// Programs that are started without a shell.
package enum ChildProcess {
    /// Starts a program and does not wait for it: standard input and output are /dev/null, standard error is
    /// ours, so that what it complains about is seen.
    package static func start(_ command: [String], environment: [String: String]) throws(SystemError) {
        _ = try spawn(command, environment, output: nil)
    }

    /// Runs a program to its end and gives what it wrote to standard output, at most `limit` bytes.
    ///
    /// Blocks the calling thread. nil where the program did not end with status 0.
    package static func output(
        of command: [String], environment: [String: String], limit: Int
    ) throws(SystemError) -> [UInt8]? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw SystemError(errno: errno, operation: "pipe", path: command[0])
        }
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child: pid_t
        do throws(SystemError) {
            child = try spawn(command, environment, output: ends[1])
            close(ends[1])
        } catch {
            close(ends[1])
            throw error
        }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while output.count < limit {
            let count = unsafe read(ends[0], &buffer, min(buffer.count, limit - output.count))
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { break }
            output.append(contentsOf: buffer.prefix(count))
        }
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else {
                throw SystemError(errno: errno, operation: "waitpid", path: command[0])
            }
        }
        return status == 0 ? output : nil
    }

    private static func spawn(
        _ command: [String], _ environment: [String: String], output: Int32?
    ) throws(SystemError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        if let output {
            unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        var child: pid_t = 0
        let status = unsafe withCStrings(command) { arguments in
            unsafe withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
                unsafe posix_spawnp(&child, command[0], &actions, nil, arguments, variables)
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
