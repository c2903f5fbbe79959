internal import ATPPlatform
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials

/// A command that stores its standard input in a secret store.
///
/// Environment variables describe the session: `BSKYAUTH_BUNDLE_ACCOUNT` (the UUID), `BSKYAUTH_BUNDLE_GENERATION` and
/// `BSKYAUTH_BUNDLE_MOMENT` (`before` or `after`). `BSKYAUTH_BUNDLE_RUN` marks the processes of one run.
struct MirrorCommand: MirrorDestination {
    let command: [String]
    /// The environment of child processes, without the variables that hold a passphrase.
    let environment: [String: String]

    /// The exit status of a command whose store has a later session (`EX_TEMPFAIL` of sysexits).
    private static let superseded: Int32 = 75

    func store(
        _ bundle: SealedBundle, _ occasion: SessionMirror.Occasion
    ) async throws(MirrorFailure) {
        var environment = environment
        // If the command runs bskyauth, that process must not wait for the lock that this process holds.
        environment["BSKYAUTH_AFTER_ROTATION"] = nil
        environment["BSKYAUTH_BUNDLE_ACCOUNT"] = occasion.account.id.text
        environment["BSKYAUTH_BUNDLE_GENERATION"] = String(occasion.generation)
        environment["BSKYAUTH_BUNDLE_MOMENT"] = occasion.moment.rawValue
        let ending: ChildProcess.Ending
        do {
            // Kill the command, because a late store would replace a newer bundle.
            ending = try await ChildProcess.run(
                command, environment: environment, mark: "BSKYAUTH_BUNDLE_RUN", input: bundle.bytes,
                timeout: Turn.mirror,
                unless: { occasion.moment == .before && SignalHold.endsProcess })
        } catch let error {
            throw .notStarted(error.reason)
        }
        switch ending {
        case .exited(0): return
        case .exited(Self.superseded): throw .superseded
        case .exited(let status): throw .failed(status)
        case .signalled(let signal): throw .signalled(signal)
        case .timedOut: throw .timedOut
        case .interrupted: throw .interrupted
        }
    }
}
