package import ATProto
package import FoundationEssentials
package import Logging
package import Networking
package import OAuth

/// Everything the flows touch outside of themselves, gathered in one value without defaults: the command line
/// builds the live one in a single file, tests build theirs.
package struct CoreEnvironment: Sendable {
    package let policy: NetworkPolicy
    package let transport: any HTTPTransport
    package let identities: IdentityResolver
    package let accounts: AccountStore
    package let caches: any CacheStore
    package let clientKeys: any ClientKeyStore
    package let wallClock: any WallClock
    package let redirects: any RedirectReceiver
    package let browser: any BrowserOpener
    package let criticalSection: any CriticalSection
    /// Threads on which many tasks at once may wait for a disk, and that are there where the system starts no more.
    package let threads: any TaskExecutor
    /// nil where sessions are kept in the vault alone.
    package let handover: SessionHandover?
    package let log: Logger
    /// What servers have said of themselves since this value was made.
    let knownServers = KnownServers()

    package init(
        policy: NetworkPolicy, transport: any HTTPTransport, identities: IdentityResolver,
        accounts: AccountStore, caches: any CacheStore, clientKeys: any ClientKeyStore,
        wallClock: any WallClock,
        redirects: any RedirectReceiver, browser: any BrowserOpener,
        criticalSection: any CriticalSection, threads: any TaskExecutor,
        handover: SessionHandover?, log: Logger
    ) {
        self.policy = policy
        self.transport = transport
        self.identities = identities
        self.accounts = accounts
        self.caches = caches
        self.clientKeys = clientKeys
        self.wallClock = wallClock
        self.redirects = redirects
        self.browser = browser
        self.criticalSection = criticalSection
        self.threads = threads
        self.handover = handover
        self.log = log
    }
}

extension CoreEnvironment {
    /// Notes a failure that changes nothing for the user.
    func note(_ what: String, _ error: any Error) {
        log.info("\(what)", metadata: ["error": "\(error)"])
    }
}

/// What time it is, and waiting for a later one.
package protocol WallClock: Sendable {
    var now: Date { get }
    func sleep(until date: Date) async throws
}

/// Small files that may vanish at any time: nonces, clock offsets, verified issuers. Nothing secret.
package protocol CacheStore: Sendable {
    /// nil where there is nothing, or nothing readable.
    func read(_ name: String) -> [UInt8]?
    /// Replaces the content; a failure only costs a request later and is left to the log.
    func write(_ name: String, _ content: [UInt8])
    func remove(_ name: String)
}

/// A stretch that an interrupt must not cut in half: signals that end the process wait until it is over.
package protocol CriticalSection: Sendable {
    func enter()
    /// Ends the stretch; the process may end here.
    func leave()
    /// Whether the process is to end as soon as the stretches under way are over: nothing is begun any more that
    /// can be left for another time.
    var isInterrupted: Bool { get }
    /// Tells a person at once of a failure that the process may not live to report.
    func tell(_ failure: CoreError)
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
    ) async throws(CoreError) -> any RedirectListener
}

package protocol RedirectListener: Sendable {
    var port: Int { get }
    /// Lets the answers under way finish, then stops listening.
    func close() async
}
