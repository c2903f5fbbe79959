internal import ATProto
internal import BskyAuthCore
internal import CurlTransport
internal import FoundationEssentials
internal import Logging
internal import Networking
internal import OAuth
internal import Platform

/// Puts the live world together: the one place that knows which implementation stands behind which port.
enum LiveContext {
    static func make(_ options: GlobalOptions) -> CommandContext {
        let settings = Settings(environment: ProcessInfo.processInfo.environment)
        ProcessHardening.removeFromEnvironment(Settings.secretVariables)
        let console = Console(
            isQuiet: options.quiet, isVerbose: options.verbose, usesJSON: options.json)
        return CommandContext(options: options, settings: settings, console: console) {
            needs throws(Failure) in
            try core(needs, options, settings, console)
        }
    }

    private static func core(
        _ needs: CommandContext.CoreNeeds, _ options: GlobalOptions, _ settings: Settings, _ console: Console
    ) throws(Failure) -> CoreEnvironment {
        let policy = try settings.policy()
        if let text = settings.lockTimeout, TimeLength(argument: text) == nil {
            throw .usage("BSKYAUTH_LOCK_TIMEOUT is \"\(text.shown)\", which is no length of time, as 10s is")
        }
        if let devNetwork = policy.devNetwork {
            console.say("dev network: \(devNetwork), and nothing else")
        }
        let opener = VaultOpener(
            options: options, settings: settings, console: console,
            mayAsk: !options.noInput && !settings.noInput)
        let vault = try opener.open(creates: needs.createsVault)
        let log = Logger(label: "bskyauth") { _ in ConsoleLog(console: console) }
        let transport = LoggedTransport(
            CurlTransport(
                policy: policy,
                configuration: CurlConfiguration(
                    userAgent: "bskyauth/\(BskyAuthVersion.text)", environment: settings.environment)),
            log: log)
        return CoreEnvironment(
            policy: policy, transport: transport,
            identities: try identities(transport, policy, options, settings),
            accounts: AccountStore(vault: vault), caches: CacheDirectory(try settings.cacheDirectory()),
            clientKeys: NoClientKeys(), wallClock: SystemClock(), redirects: needs.redirects,
            browser: needs.browser,
            criticalSection: SignalSafeSection(), log: log)
    }

    /// The service that `--resolver` names, as `slingshot` or `slingshot=https://slingshot.example.com`.
    private static func shortcut(
        _ transport: any HTTPTransport, _ policy: NetworkPolicy, _ options: GlobalOptions,
        _ settings: Settings
    ) throws(Failure) -> MiniDocumentResolver? {
        guard let text = options.resolver ?? settings.resolver, text != "direct" else { return nil }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let url = parts.count == 2 ? try? HTTPURL(validating: String(parts[1])) : nil
        guard parts[0] == "slingshot", parts.count == 1 || url?.path == "/" else {
            throw .usage("--resolver takes direct, slingshot or slingshot=URL, not \"\(text.shown)\"")
        }
        return MiniDocumentResolver(
            transport: transport, policy: policy,
            service: url?.origin ?? MiniDocumentResolver.publicService)
    }

    private static func identities(
        _ transport: any HTTPTransport, _ policy: NetworkPolicy, _ options: GlobalOptions,
        _ settings: Settings
    ) throws(Failure) -> IdentityResolver {
        guard let dns = DNSResolver(server: settings.dnsServer) else {
            throw .usage("BSKYAUTH_DNS_SERVER takes an IPv4 address and a port, as 127.0.0.1:5353")
        }
        var plc = policy.devNetwork.map { HTTPURL(origin: $0) } ?? DIDResolver.publicPLCDirectory
        if let text = settings.plcURL {
            guard let url = try? HTTPURL(validating: text) else {
                throw .usage("BSKYAUTH_PLC_URL is \"\(text.shown)\", which is no URL")
            }
            plc = url
        }
        return IdentityResolver(
            handles: HandleResolver(
                transport: transport, textRecords: SystemTextRecords(resolver: dns), policy: policy),
            dids: DIDResolver(transport: transport, policy: policy, plcDirectory: plc),
            cache: MemoryIdentityCache(),
            shortcut: try shortcut(transport, policy, options, settings))
    }
}
