internal import ATPCryptography
internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoCurl
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

/// The network for commands that ask servers. Settings are read and parts are created when they are first needed.
///
/// Only this type chooses the implementation of each port of the core.
struct ServerAccess: Sendable {
    let context: CommandContext

    private let settings: NetworkSettings

    init(_ context: CommandContext) {
        self.context = context
        settings = NetworkSettings(environment: context.settings.environment)
    }

    /// The network settings, checked, and what makes transports under them.
    func network() throws -> LiveNetwork {
        try OpenSSL.requireES256()
        let console = context.console
        let policy = try policy()
        if let devNetwork = policy.devNetwork {
            console.say("using the dev network at \(devNetwork)")
        }
        let configuration = CurlConfiguration(
            userAgent: "bskyauth/\(BskyAuthVersion.text)", environment: context.settings.environment)
        if policy.devNetwork == nil, !policy.allowsPrivateNetwork, configuration.usesProxy {
            console.detail("requests go through a proxy, so private addresses can't be checked here")
        }
        return LiveNetwork(
            policy: policy, configuration: configuration,
            log: console.log, timeout: try requestTimeout, progress: console.progress)
    }

    /// The network that accounts belong to: the dev network or the real one.
    func policy() throws -> NetworkPolicy {
        try settings.policy(allowsPrivateNetwork: context.options.allowPrivateNetwork)
    }

    /// `--http-timeout`, its variable, or nil.
    private var requestTimeout: Duration? {
        get throws {
            var timeout = context.options.httpTimeout
            if timeout == nil { timeout = try settings.httpTimeout() }
            guard timeout?.duration != .zero else {
                throw Failure.usage("a time-out of 0 is not possible; use 1s or more")
            }
            return timeout?.duration
        }
    }

    /// The accounts and their network.
    ///
    /// - Parameters:
    ///   - createsVault: whether a missing vault is created first.
    ///   - vault: the vault, when the command has opened it already.
    ///   - network: the network, when the command has made it already.
    func sessions(
        createsVault: Bool = false, in vault: CredentialVault? = nil, mirror: SessionMirror? = nil,
        network: LiveNetwork? = nil
    ) throws -> SessionEnvironment {
        // Check this first, because the code that uses it later can't refuse it.
        try context.checkLockTimeout()
        let network = if let network { network } else { try self.network() }
        let accounts =
            if let vault {
                VaultAccounts(vault, log: context.console.log)
            } else {
                try context.accounts(createsVault: createsVault)
            }
        return SessionEnvironment(
            accounts: accounts, network: try environment(network), criticalSection: criticalSection,
            mirror: mirror, keeper: keeper(of: accounts.vault, mirror))
    }

    /// The keeper of this command. It has no terminal, so a command with a mirror, which may ask for a passphrase, does
    /// without it.
    private func keeper(of vault: CredentialVault, _ mirror: SessionMirror?) -> KeeperConnection? {
        guard mirror == nil, !context.settings.refreshesHere else { return nil }
        return KeeperConnection(vault, context)
    }

    /// The network for a flow.
    ///
    /// - Parameter usesShortcut: whether the service of `--resolver` may be asked about accounts.
    func environment(_ network: LiveNetwork, usesShortcut: Bool = true) throws -> NetworkEnvironment {
        let identities = identities(network)
        return NetworkEnvironment(
            policy: network.policy, transport: identities.transport,
            identities: try identities.resolver(usesShortcut: usesShortcut), caches: identities.caches,
            wallClock: context.clock, log: network.log)
    }

    /// The accounts, for work that sends nothing. Network settings that are not valid don't stop it.
    ///
    /// - Parameter opened: the accounts, when the command has opened the vault already.
    func local(_ opened: VaultAccounts? = nil) throws -> LocalEnvironment {
        let accounts = if let opened { opened } else { try context.accounts() }
        return LocalEnvironment(
            accounts: accounts, criticalSection: criticalSection, caches: caches,
            identities: identityCache(in: caches))
    }

    /// The lexicons of a folder; nil if none is named.
    ///
    /// - Parameter option: the folder that the command line names. The environment can name one, too.
    func lexiconFolder(_ option: String?) throws -> LexiconFolder? {
        try (option ?? settings.lexiconFolder).map { try LexiconFolder($0) }
    }

    /// The lexicons that their publishers prove; nil if they may not be asked.
    ///
    /// - Parameters:
    ///   - seal: that of the vault; nil if none is open.
    ///   - network: the network, when the command has made it already.
    func lexicons(
        seal: (any CacheSeal)?, on network: LiveNetwork? = nil
    ) throws -> LexiconCatalog? {
        guard settings.asksForLexicons else { return nil }
        let network = if let network { network } else { try self.network() }
        let identities = identities(network)
        let environment = try environment(network, usesShortcut: false)
        return LexiconCatalog(
            environment, LexiconResolver(environment, textRecords: try identities.textRecords()),
            LexiconCache(caches, sources: try identities.sources.names(), seal: seal),
            context.revisions(on: network.policy))
    }

    private var caches: CacheDirectory { CacheDirectory(context.settings.cacheDirectory) }

    /// The time at the server of an account, as far as earlier answers told how its clock differs.
    func serverTime(of account: Account) -> Date {
        account.serverTime(at: context.now, caches: caches)
    }

    /// The server that an account has moved to, if an earlier command found out.
    func knownMove(of account: Account) -> Origin? { account.knownMove(caches: caches) }

    /// nil if the network settings are not valid: no identity was ever cached under them.
    private func identityCache(in caches: CacheDirectory) -> StoredIdentityCache? {
        guard let policy = try? policy() else { return nil }
        let sources = IdentitySources(options: context.options, settings: settings, policy: policy)
        return try? sources.cache(in: caches, context.clock)
    }

    /// How accounts are looked up.
    func identities(_ network: LiveNetwork) -> LiveIdentities {
        LiveIdentities(
            context.options, settings, network, caches: caches, clock: context.clock)
    }

    var criticalSection: any CriticalSection {
        SignalSafeSection(console: context.console)
    }

    /// Runs work for several accounts on threads that may block, so that one slow disk or name server does not hold up
    /// the others. The work for a single account stays on the thread that it is on.
    func concurrently<Value>(_ count: Int, _ work: () async throws -> Value) async throws -> Value {
        guard count > 1 else { return try await work() }
        return try await withTaskExecutorPreference(BlockingWork.shared) { try await work() }
    }
}

/// Holds signals back until the section ends.
struct SignalSafeSection: CriticalSection {
    let console: Console

    func enter() { SignalHold.begin(.all) }
    func leave() { SignalHold.end(.all) }
    var isInterrupted: Bool { SignalHold.endsProcess }
    func report(_ failure: any KnownError) { console.report(ErrorPresenter.failure(for: failure)) }

    func uncancelled<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        await BlockingWork.run(work)
    }
}

extension CacheDirectory: CacheStore {}
