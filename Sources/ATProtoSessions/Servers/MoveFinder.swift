package import ATPNetworking
internal import ATProtoIdentity
package import ATProtoXRPC
package import OAuthDPoP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Finds out whether an account is at another server now. The result is only for words: no token is sent there.
///
/// The DID document is fetched at most every ten minutes for an account.
package struct MoveFinder: Sendable {
    /// Where an account is, compared with what its session knows.
    package enum Finding: Sendable, Equatable {
        /// At the known server.
        case same
        /// At another server of the issuer of its session. The session is good there, and the next refresh follows.
        case sameIssuer(Origin)
        /// At a server that its session is not for.
        case moved(Origin)
        /// It could not be found out.
        case unknown

        package var newServer: Origin? { if case .moved(let server) = self { server } else { nil } }
    }

    private let network: NetworkEnvironment

    package init(_ network: NetworkEnvironment) {
        self.network = network
    }

    /// - Parameter issuer: the issuer of the account's session; nil for an app password, or if the session can't be read.
    package func find(_ account: Account, issuer: Issuer?) async -> Finding {
        let cache = SessionCache(account: account.id, store: network.caches)
        let now = network.wallClock.now
        if let known = cache.moveLookup, IssuerVerification.serves(known.date, at: now) {
            return known.finding(of: account)
        }
        let lookup = await lookUp(account, issuer, at: now)
        cache.remember(lookup)
        let finding = lookup.finding(of: account)
        // The next refresh resolves the DID again, and takes over its server.
        if case .sameIssuer = finding { cache.forgetVerification() }
        return finding
    }

    private func lookUp(_ account: Account, _ issuer: Issuer?, at now: Date) async -> MoveLookup {
        do {
            let pds = try await network.identities.document(of: account.did, freshness: .now).pds
            var isSameIssuer = false
            if pds != account.pds, let issuer {
                isSameIssuer = try await IssuerVerifier(network).metadata(ofPDS: pds).issuer == issuer
            }
            return MoveLookup(date: now, pds: pds.description, isSameIssuer: isSameIssuer)
        } catch {
            network.note("whether \(account.name) has moved could not be looked up", error)
            return MoveLookup(date: now, pds: nil, isSameIssuer: false)
        }
    }
}

/// When an account's DID was looked up because of a move, and the PDS that it named; nil if that could not be found out.
struct MoveLookup: Sendable, Equatable {
    let date: Date
    let pds: String?
    /// Whether the PDS has the issuer of the account's session.
    let isSameIssuer: Bool

    func finding(of account: Account) -> MoveFinder.Finding {
        guard let server = pds.flatMap({ Origin(server: $0) }) else { return .unknown }
        if server == account.pds { return .same }
        return isSameIssuer ? .sameIssuer(server) : .moved(server)
    }
}

extension Account {
    /// The server that the account has moved to, as far as an earlier look-up found out. It sends nothing.
    package func knownMove(caches: any CacheStore) -> Origin? {
        SessionCache(account: id, store: caches).moveLookup?.finding(of: self).newServer
    }
}

extension SessionContext {
    /// The error of an account, or that the account has moved, if the error makes that likely and the DID confirms it.
    func explained(_ error: any Error, of id: UUID) async -> any Error {
        guard !Task.isCancelled, let cause = error as? any KnownError, cause.suggestsMove else {
            return error
        }
        do {
            let (account, session) = (try await accounts.account(id), try await accounts.session(id))
            guard
                let server = await MoveFinder(network).find(
                    account, issuer: session.credential.oauth?.issuer
                ).newServer
            else { return error }
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
