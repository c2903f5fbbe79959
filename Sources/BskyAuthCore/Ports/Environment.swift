package import ATProto
package import FoundationEssentials
package import Logging
package import Networking
package import OAuth

/// What a flow needs that asks servers and no account of the vault.
///
/// The environment comes in three parts, and a flow takes those that it uses: the accounts (``AccountStore``), the
/// network, and the person at the browser (``LoginInteraction``). None has defaults: the command line makes the live
/// ones, tests make theirs.
package struct NetworkEnvironment: Sendable {
    package let policy: NetworkPolicy
    package let transport: any HTTPTransport
    package let identities: IdentityResolver
    package let caches: any CacheStore
    package let clientKeys: any ClientKeyStore
    package let wallClock: any WallClock
    package let log: Logger
    /// Server metadata that was fetched since this value was made.
    let knownServers = KnownServers()

    package init(
        policy: NetworkPolicy, transport: any HTTPTransport, identities: IdentityResolver,
        caches: any CacheStore, clientKeys: any ClientKeyStore, wallClock: any WallClock, log: Logger
    ) {
        self.policy = policy
        self.transport = transport
        self.identities = identities
        self.caches = caches
        self.clientKeys = clientKeys
        self.wallClock = wallClock
        self.log = log
    }

    /// Logs a failure that changes nothing for the user.
    func note(_ what: String, _ error: any Error) {
        log.info("\(what)", metadata: ["error": "\(error)"])
    }
}

/// What a flow needs that uses sessions at their servers.
package struct SessionEnvironment: Sendable {
    package let accounts: AccountStore
    package let network: NetworkEnvironment
    package let criticalSection: any CriticalSection
    /// Nil when sessions are kept in the vault alone.
    package let mirror: SessionMirror?

    package init(
        accounts: AccountStore, network: NetworkEnvironment, criticalSection: any CriticalSection,
        mirror: SessionMirror?
    ) {
        self.accounts = accounts
        self.network = network
        self.criticalSection = criticalSection
        self.mirror = mirror
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

/// What time it is, and waiting for a later one.
package protocol WallClock: Sendable {
    var now: Date { get }
    func sleep(until date: Date) async throws
}

extension WallClock {
    /// The same with the error of a cancelled task as one of ours.
    func wait(until date: Date) async throws {
        do { try await sleep(until: date) } catch is CancellationError { throw CoreError.cancelled }
    }
}

/// Small files that may vanish at any time: nonces, clock offsets, verified issuers. Nothing secret.
package protocol CacheStore: Sendable {
    /// nil where there is nothing, or nothing readable.
    func read(_ name: String) -> [UInt8]?
    /// Replaces the content; a failure only costs a request later and is left to the log.
    func write(_ name: String, _ content: [UInt8])
    func remove(_ name: String)
}

/// Work that an interrupt must not cut in half: signals that end the process wait until it is done.
package protocol CriticalSection: Sendable {
    func enter()
    /// Ends the section. The process may end here.
    func leave()
    /// Whether the process ends as soon as the sections under way are over. Work that can wait for another command is
    /// not begun any more.
    var isInterrupted: Bool { get }
    /// Reports a failure at once, because the process may end before it reports anything else.
    func report(_ failure: any KnownError)
    /// Runs work that goes on when the calling task is cancelled, on a thread that exists even when the system starts
    /// no more.
    func uncancelled<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value
}

/// Shows a person the authorization page.
package protocol BrowserOpener: Sendable {
    /// Presents the URL: prints it always, opens a browser where there is one. A redirect URL that the person
    /// brings by hand goes to `pending`.
    func present(_ authorization: AuthorizationPrompt, to pending: PendingLogin) async
}

/// What a person is told while the login waits.
package struct AuthorizationPrompt: Sendable {
    package let url: HTTPURL
    package let issuer: Issuer
    /// Where the redirect is awaited on this machine.
    package let port: Int
    package let timeout: Duration
}

/// Listens on this machine for the redirect of an authorization (RFC 8252 §7.3).
package protocol RedirectReceiver: Sendable {
    /// Binds the loopback address before anything is sent to a server.
    ///
    /// - Parameters:
    ///   - ports: the first free one is taken; nil for any.
    ///   - answer: is given the query of every request to `path`, and says what the page tells.
    func listen(
        ports: ClosedRange<Int>?, path: String,
        answer: @escaping @Sendable (String) async -> RedirectReceipt
    ) async throws -> any RedirectListener
}

package protocol RedirectListener: Sendable {
    var port: Int { get }
    /// Lets the answers under way finish, then stops listening.
    func close() async
}
