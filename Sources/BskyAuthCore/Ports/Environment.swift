package import ATPNetworking
package import ATProtoIdentity
package import ATProtoSessions
package import ATProtoVault
internal import FoundationEssentials
internal import Logging
package import OAuthDPoP

/// The ports of a flow that uses sessions at their servers.
package struct SessionEnvironment: Sendable {
    package let accounts: VaultAccounts
    package let network: NetworkEnvironment
    package let criticalSection: any CriticalSection
    /// The mirror; nil if sessions are stored only in the vault.
    package let mirror: SessionMirror?
    /// Runs rotations in a process that outlives this one; nil if this process runs them.
    package let keeper: (any RotationRunner)?

    package init(
        accounts: VaultAccounts, network: NetworkEnvironment, criticalSection: any CriticalSection,
        mirror: SessionMirror?, keeper: (any RotationRunner)?
    ) {
        self.accounts = accounts
        self.network = network
        self.criticalSection = criticalSection
        self.mirror = mirror
        self.keeper = keeper
    }
}

/// What a flow needs that changes accounts and asks no server.
package struct LocalEnvironment: Sendable {
    package let accounts: VaultAccounts
    package let criticalSection: any CriticalSection
    package let caches: any CacheStore
    /// The cached identities of the present network settings; nil if there are none.
    package let identities: (any IdentityCache)?

    package init(
        accounts: VaultAccounts, criticalSection: any CriticalSection, caches: any CacheStore,
        identities: (any IdentityCache)?
    ) {
        self.accounts = accounts
        self.criticalSection = criticalSection
        self.caches = caches
        self.identities = identities
    }
}

extension SessionEnvironment {
    /// Notes the PDS and the handle of an identity that was resolved just now. The tokens' audience is the PDS that the DID
    /// names now. It may be another PDS of the same issuer.
    func follow(
        _ identity: Identity, of account: Account, under lock: borrowing AccountLock
    ) async throws {
        guard identity.pds != account.pds || identity.handle != account.handle else { return }
        // Read the account again: the account may have been renamed meanwhile.
        let present = try accounts.account(account.id)
        var moved = present
        moved.pds = identity.pds
        moved.handle = identity.handle
        try await accounts.update(moved, under: lock)
        if let handle = identity.handle, handle != present.handle {
            network.log.notice("the handle of \(present.name) is now @\(handle)")
        }
    }

    /// The same, if something changed. Waits for another process that uses the account.
    func follow(
        _ identity: Identity, of account: Account, lockTimeout: Duration
    ) async throws {
        guard identity.pds != account.pds || identity.handle != account.handle else { return }
        let lock = try await accounts.lockForRotation(account.id, waiting: lockTimeout)
        try await follow(identity, of: account, under: lock)
    }

    /// The clients of the user's own.
    package var clients: ClientStore { ClientStore(accounts.vault) }

    /// The part for work that asks no server.
    package var local: LocalEnvironment {
        LocalEnvironment(
            accounts: accounts, criticalSection: criticalSection, caches: network.caches,
            identities: network.identities.cache)
    }
}

/// The person who logs in, and the browser.
package struct LoginInteraction: Sendable {
    package let redirects: any RedirectReceiver
    package let browser: any BrowserOpener

    package init(redirects: any RedirectReceiver, browser: any BrowserOpener) {
        self.redirects = redirects
        self.browser = browser
    }
}

/// Work that must not be interrupted. Signals that end the process wait until the work is done.
package protocol CriticalSection: UncancelledWork {
    func enter()
    /// Ends the section. The process may end here.
    func leave()
    /// Whether the process ends as soon as the present sections end. Then work that another command can do later must
    /// not begin.
    var isInterrupted: Bool { get }
    /// Reports a failure at once, because the process may end before it reports anything else.
    func report(_ failure: any KnownError)
}

/// Shows the authorization page to the user.
package protocol BrowserOpener: Sendable {
    /// Prints the URL, and opens a browser if the machine has one. A redirect URL that the user pastes goes to
    /// `pending`.
    func present(_ authorization: AuthorizationPrompt, to pending: LoginInProgress) async
}

/// The information for the user while the login waits.
package struct AuthorizationPrompt: Sendable {
    package let url: HTTPURL
    package let issuer: Issuer
    /// The port of the listener on this machine.
    package let port: Int
    /// Whether the browser goes to a page of the user's client. The page hands the answer on if it can, and shows a line to
    /// paste.
    package let usesPage: Bool
    package let timeout: Duration
}

/// Listens on this machine for the redirect of an authorization (RFC 8252 §7.3).
package protocol RedirectReceiver: Sendable {
    /// Binds the loopback address before anything is sent to a server.
    ///
    /// - Parameters:
    ///   - ports: the ports to try. The first free port is used; nil for any port.
    ///   - answer: receives the query of every request to `path` and returns the result for the page.
    func listen(
        ports: ClosedRange<Int>?, path: String,
        answer: @escaping @Sendable (String) async -> RedirectReceipt
    ) async throws -> any RedirectListener
}

package protocol RedirectListener: Sendable {
    var port: Int { get }
    /// Sends the responses that have begun, then stops listening.
    func close() async
}
