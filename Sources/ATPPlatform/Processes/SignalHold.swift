internal import CATPPlatform
internal import Glibc
internal import Synchronization

/// Holds back the signals that end or stop the process while work must not be interrupted.
///
/// They are recorded, and obeyed when the last hold ends. Signals that the parent process ignores stay ignored.
package enum SignalHold {
    /// The signals that a hold keeps back.
    package enum Kind: Sendable {
        /// TSTP alone (Ctrl-Z). A stopped process would keep its locks.
        case stop
        /// The signals that would end the process: INT, TERM, HUP, QUIT, ALRM, USR1, USR2 and XCPU.
        case ending
        case all
    }

    private static let depths = Mutex((stop: 0, ending: 0))

    package static func begin(_ kind: Kind) {
        depths.withLock { depths in
            if kind != .ending {
                if depths.stop == 0 { bskyauth_stop_signal_hold() }
                depths.stop += 1
            }
            guard kind != .stop else { return }
            if depths.ending == 0 { bskyauth_ending_signals_hold() }
            depths.ending += 1
        }
    }

    /// Ends a hold. The last one obeys the recorded signals, so the process may end here.
    package static func end(_ kind: Kind) {
        depths.withLock { depths in
            if kind != .stop {
                depths.ending -= 1
                if depths.ending == 0 { bskyauth_ending_signals_release() }
            }
            guard kind != .ending else { return }
            depths.stop -= 1
            if depths.stop == 0 { bskyauth_stop_signal_release() }
        }
    }

    /// Stops this process until it is continued, but not while a signal to stop is held back: a stopped process would keep
    /// its locks. Blocks the thread.
    static func stop() {
        while true {
            let isStopped = depths.withLock { depths in
                guard depths.stop == 0 else { return false }
                raise(SIGSTOP)
                return true
            }
            if isStopped { return }
            usleep(10_000)
        }
    }

    /// Whether a recorded signal will end the process with the last hold.
    package static var endsProcess: Bool { bskyauth_signals_ending() != 0 }
}
