internal import ATPNetworking
internal import OAuthDPoP
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The metadata that servers have sent to this process, so that it is not fetched again for every account. Jobs that
/// begin at the same time may each fetch it.
///
/// The PDS is resolved for each account. The issuer of a PDS is reused as long as a verification is valid.
package final class KnownServers: Sendable {
    /// The metadata of the issuer that a PDS names, and when it was fetched.
    struct Answer: Sendable {
        let metadata: AuthorizationServerMetadata
        let fetchedAt: Date
    }

    private let answers = Mutex<[Origin: Answer]>([:])

    /// The known answer of a PDS; nil if the PDS must be asked.
    func answer(ofPDS pds: Origin, at now: Date) -> Answer? {
        answers.withLock { $0[pds] }.flatMap { IssuerVerification.serves($0.fetchedAt, at: now) ? $0 : nil }
    }

    func remember(_ answer: Answer, ofPDS pds: Origin) {
        answers.withLock { $0[pds] = answer }
    }
}
