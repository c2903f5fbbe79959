internal import FoundationEssentials
internal import Networking
internal import OAuth
internal import Synchronization

/// What servers have said of themselves to one command, which does not ask the same for every account. Jobs that begin
/// together may each ask.
///
/// Where an account is is asked for each; which issuer speaks for a PDS serves as long as a verification does.
final class KnownServers: Sendable {
    /// The metadata of the issuer that a PDS names, and when it was fetched.
    struct Answer: Sendable {
        let metadata: AuthorizationServerMetadata
        let fetchedAt: Date
    }

    private let answers = Mutex<[Origin: Answer]>([:])

    /// What is known of a PDS; nil where it has to be asked.
    func answer(ofPDS pds: Origin, at now: Date) -> Answer? {
        answers.withLock { $0[pds] }.flatMap { IssuerVerification.serves($0.fetchedAt, at: now) ? $0 : nil }
    }

    func remember(_ answer: Answer, ofPDS pds: Origin) {
        answers.withLock { $0[pds] = answer }
    }
}
