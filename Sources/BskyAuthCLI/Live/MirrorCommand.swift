internal import BskyAuthCore
internal import CredentialVault
internal import FoundationEssentials
internal import Platform

/// A command that puts what it reads from its standard input into a secret store.
///
/// It is told which session it is in its environment: `BSKYAUTH_BUNDLE_ACCOUNT` (the UUID),
/// `BSKYAUTH_BUNDLE_GENERATION` and `BSKYAUTH_BUNDLE_MOMENT` (`before` or `after`).
struct MirrorCommand: MirrorDestination {
    let command: [String]
    /// As children get it: without the variables that hold a passphrase.
    let environment: [String: String]

    /// The account's lock is held meanwhile.
    private static let timeout = Duration.seconds(60)

    func store(
        _ bundle: SealedBundle, _ occasion: SessionMirror.Occasion
    ) async throws(MirrorFailure) {
        var environment = environment
        // A bskyauth that it starts must not wait for the lock that is held for it.
        environment["BSKYAUTH_AFTER_ROTATION"] = nil
        environment["BSKYAUTH_BUNDLE_ACCOUNT"] = occasion.account.id.shown
        environment["BSKYAUTH_BUNDLE_GENERATION"] = String(occasion.generation)
        environment["BSKYAUTH_BUNDLE_MOMENT"] = occasion.moment.rawValue
        let ending: ChildProcess.Ending
        do {
            // It is killed and not left to itself: what it stores late would replace what came after it.
            ending = try await ChildProcess.run(
                command, environment: environment, input: bundle.bytes, timeout: Self.timeout,
                unless: { occasion.moment == .before && SignalHold.endsProcess })
        } catch let error {
            throw .notStarted(error.reason)
        }
        switch ending {
        case .exited(0): return
        case .exited(let status): throw .failed(status)
        case .signalled(let signal): throw .signalled(signal)
        case .timedOut: throw .timedOut
        case .interrupted: throw .interrupted
        }
    }
}
