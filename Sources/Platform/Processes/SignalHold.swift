internal import CPlatform
internal import Glibc
internal import Synchronization

/// Holds back the signals that end or stop the process while work must not be interrupted.
///
/// They are recorded, and obeyed when the last hold ends. Signals that the parent process ignores stay ignored.
package enum SignalHold {
    private static let depth = Mutex(0)

    package static func begin() {
        depth.withLock { depth in
            if depth == 0 { bskyauth_signals_hold() }
            depth += 1
        }
    }

    /// Ends a hold. The last one obeys the recorded signals, so the process may end here.
    package static func end() {
        depth.withLock { depth in
            depth -= 1
            if depth == 0 { bskyauth_signals_release() }
        }
    }

    /// Whether a recorded signal will end the process with the last hold.
    package static var endsProcess: Bool { bskyauth_signals_ending() != 0 }
}
