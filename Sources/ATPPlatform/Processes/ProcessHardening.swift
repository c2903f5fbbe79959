internal import CATPPlatform
internal import Glibc

/// Keeps secrets inside the process.
package enum ProcessHardening {
    /// Hardens this process at its start:
    /// - No file takes the number of a standard stream that the parent closed.
    /// - There is no core file, and no crash report that shows memory. Other processes of the user can't read memory.
    /// - Writing to a closed pipe is an error, and does not end the process.
    package static func apply() {
        occupyStandardStreams()
        _ = bskyauth_set_not_dumpable()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = signal(SIGPIPE, SIG_IGN)
        // The crash report of Swift's runtime shows registers and the memory they point to. Besides, the reporter
        // can't read a process that is not dumpable: the crashed process would wait for it for ever, with its locks.
        let ignored = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
        for crash in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            var present = sigaction()
            guard unsafe sigaction(crash, nil, &present) == 0 else { continue }
            // Signals that the parent process ignores stay ignored.
            if unsafe unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self) != ignored {
                _ = signal(crash, SIG_DFL)
            }
        }
    }

    /// Opens the root directory, without the right to read it, in place of each closed standard stream. Otherwise the next
    /// file or socket would get the number of the stream, and the data meant for it. Using the stream is still an error.
    private static func occupyStandardStreams() {
        for stream: Int32 in 0...2 where fcntl(stream, F_GETFD) == -1 && errno == EBADF {
            // The lowest free number is this one.
            _ = bskyauth_occupy_descriptor()
        }
    }
}
