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
        let opener = VaultOpener(options: options, settings: settings, console: console)
        let vault = try opener.open(creates: needs.createsVault)
        let log = Logger(label: "bskyauth") { _ in ConsoleLog(console: console) }
        let configuration = CurlConfiguration(
            userAgent: "bskyauth/\(BskyAuthVersion.text)", environment: settings.environment)
        if policy.devNetwork == nil, !policy.allowsPrivateNetwork, configuration.usesProxy {
            console.detail("a proxy connects: whether a name leads to a private address is its to judge")
        }
        let transport = LoggedTransport(
            CurlTransport(policy: policy, configuration: configuration), log: log)
        let caches = CacheDirectory(settings.cacheDirectory)
        let clock = SystemClock()
        let identities = LiveIdentities(
            options: options, settings: settings, policy: policy, transport: transport,
            nameServerTransport: LoggedTransport(
                CurlTransport(
                    policy: NetworkPolicy(devNetwork: policy.devNetwork, allowsPrivateNetwork: true),
                    configuration: configuration),
                log: log),
            caches: caches, clock: clock)
        return CoreEnvironment(
            policy: policy, transport: transport, identities: try identities.resolver(),
            accounts: AccountStore(vault: vault), caches: caches, clientKeys: NoClientKeys(),
            wallClock: clock, redirects: needs.redirects, browser: needs.browser,
            criticalSection: SignalSafeSection(), handover: needs.handover, log: log)
    }
}
