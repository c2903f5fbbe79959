internal import CPlatform
internal import Glibc
internal import Synchronization

/// Holds back the signals that end or stop the process while something must not be cut in half.
///
/// They are recorded, and obeyed when the last hold ends; what the parent process ignores stays ignored.
package enum SignalHold {
    private static let depth = Mutex(0)

    package static func begin() {
        depth.withLock { depth in
            if depth == 0 { bskyauth_signals_hold() }
            depth += 1
        }
    }

    /// Ends a hold. With the last one the process may end here, by the signal that waited.
    package static func end() {
        depth.withLock { depth in
            depth -= 1
            if depth == 0 { bskyauth_signals_release() }
        }
    }

    /// Whether a signal waits to be obeyed.
    package static var isPending: Bool { bskyauth_signals_pending() != 0 }

    /// Whether the process will end with the last hold.
    package static var endsProcess: Bool { bskyauth_signals_ending() != 0 }
}
