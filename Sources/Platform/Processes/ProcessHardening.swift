internal import CPlatform
internal import Glibc

/// What keeps secrets inside of the process.
package enum ProcessHardening {
    /// Nothing of ours in the place of a standard stream that the parent closed; no core file, no reading of
    /// this process's memory by others of the user, no report of a crash that shows it; a closed pipe is an
    /// error to handle and not the end.
    package static func apply() {
        occupyStandardStreams()
        _ = bskyauth_set_not_dumpable()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = signal(SIGPIPE, SIG_IGN)
        // The runtime's report of a crash shows registers and what they point to. Besides, the reporter can't
        // look into a process that is not dumpable: the crashed one would wait for it for ever, with its locks.
        let ignored = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
        for crash in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            var present = sigaction()
            guard unsafe sigaction(crash, nil, &present) == 0 else { continue }
            // What the parent ignores stays ignored.
            if unsafe unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self) != ignored {
                _ = signal(crash, SIG_DFL)
            }
        }
    }

    /// The next file or socket would get the number of a closed stream, and with it what is meant for the stream.
    /// What stands there instead is a directory, which can neither be read nor be written, by its number or by way of
    /// /dev/stdin and its like: who needs the stream gets an error.
    private static func occupyStandardStreams() {
        for stream: Int32 in 0...2 where fcntl(stream, F_GETFD) == -1 && errno == EBADF {
            // The lowest number that is free is this one: those below are taken by now.
            _ = unsafe open("/", O_RDONLY | O_DIRECTORY)
        }
    }
}
