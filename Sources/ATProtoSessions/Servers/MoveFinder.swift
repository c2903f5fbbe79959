package import ATPNetworking
internal import ATProtoIdentity
package import ATProtoXRPC
internal import OAuthDPoP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Finds the server that an account has moved to. The result is only for words: no token is sent there.
///
/// Another server counts only if the DID document names it. The document is fetched at most every ten minutes for an account.
package struct MoveFinder: Sendable {
    private let network: NetworkEnvironment

    package init(_ network: NetworkEnvironment) {
        self.network = network
    }

    /// The server that the account's DID names now; nil if it is the known one, or can't be found out.
    package func newServer(of account: Account) async -> Origin? {
        let cache = SessionCache(account: account.id, store: network.caches)
        let now = network.wallClock.now
        let known = cache.moveLookup.flatMap { IssuerVerification.serves($0.date, at: now) ? $0 : nil }
        let lookup: MoveLookup
        if let known {
            lookup = known
        } else {
            lookup = MoveLookup(date: now, pds: await lookUp(account)?.description)
            cache.remember(lookup)
        }
        guard let server = lookup.pds.flatMap({ Origin(server: $0) }), server != account.pds else {
            return nil
        }
        return server
    }

    private func lookUp(_ account: Account) async -> Origin? {
        do {
            return try await network.identities.document(of: account.did, freshness: .now).pds
        } catch {
            network.note("whether \(account.name) has moved could not be looked up", error)
            return nil
        }
    }
}

/// When an account's DID was looked up because of a move, and the PDS that it named; nil if it could not be looked up.
struct MoveLookup: Sendable, Equatable {
    let date: Date
    let pds: String?
}

extension SessionContext {
    /// The error of an account, or that the account has moved, if the error makes that likely and the DID confirms it.
    func explained(_ error: any Error, of id: UUID) async -> any Error {
        guard !Task.isCancelled, let cause = error as? any KnownError, cause.suggestsMove else {
            return error
        }
        do {
            let (account, session) = (try await accounts.profile(id), try await accounts.session(id))
            guard let server = await MoveFinder(network).newServer(of: account) else { return error }
            return SessionFailure.accountMoved(AccountLogin(account, session), to: server, because: cause)
        } catch _ {
            return error
        }
    }
}

extension TransportError {
    /// Whether the server of the URL may not exist any more.
    package var isOfServerThatIsGone: Bool { code == .nameNotResolved || code == .notConnected }
}

extension XRPCError {
    /// Whether the server has the account no more, or keeps only a copy that its user has deactivated.
    package var saysAccountIsNotActive: Bool {
        name == "AccountDeactivated" || name == "AccountNotFound"
    }
}
