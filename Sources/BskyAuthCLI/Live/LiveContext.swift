internal import BskyAuthCore
internal import Cryptography
internal import CurlTransport
internal import Logging
internal import Networking
internal import OAuth
internal import Platform

/// Puts the live world together: the one place that knows which implementation stands behind which port.
enum LiveContext {
    /// - Parameter asksServers: whether the command may. One that may not opens no connection.
    static func make(_ options: GlobalOptions, asksServers: Bool) throws(Failure) -> CommandContext {
        let settings = Settings(environment: ProcessEnvironment.variables)
        ProcessEnvironment.remove(Settings.secretVariables)
        let console = Console(
            isQuiet: options.quiet, isVerbose: options.verbose, usesJSON: options.json,
            isColored: options.color.isOn(settings, isTerminal: StandardStream.output.isTerminal),
            redraws: settings.terminalMoves)
        return CommandContext(
            options: options, settings: settings, console: console, clock: SystemClock(),
            makeNetwork: { () throws(Failure) in try network(options, settings, console, asksServers) },
            makeCore: { needs throws(Failure) in try core(needs, options, settings, console, asksServers) })
    }

    /// The way to the servers, which needs neither vault nor account.
    private static func network(
        _ options: GlobalOptions, _ settings: Settings, _ console: Console, _ asksServers: Bool
    ) throws(Failure) -> LiveNetwork {
        if asksServers {
            do throws(CryptographyError) { try OpenSSL.requireES256() } catch {
                throw ErrorPresenter.failure(error)
            }
        }
        let policy = try settings.policy(allowsPrivateNetwork: options.allowPrivateNetwork)
        if let devNetwork = policy.devNetwork {
            console.say("using the dev network at \(devNetwork)")
        }
        let configuration = CurlConfiguration(
            userAgent: "bskyauth/\(BskyAuthVersion.text)", environment: settings.environment)
        if policy.devNetwork == nil, !policy.allowsPrivateNetwork, configuration.usesProxy {
            console.detail("requests go through a proxy, so private addresses can't be checked here")
        }
        let log = Logger(label: "bskyauth") { _ in ConsoleLog(console: console) }
        var timeout = options.httpTimeout
        if timeout == nil {
            timeout = try settings.timeLength("BSKYAUTH_HTTP_TIMEOUT", settings.httpTimeout)
        }
        guard timeout?.duration != .zero else {
            throw .usage("a time-out of 0 is not possible; use 1s or more")
        }
        return LiveNetwork(
            policy: policy, configuration: configuration, log: log, timeout: timeout?.duration,
            asksServers: asksServers)
    }

    private static func core(
        _ needs: CommandContext.CoreNeeds, _ options: GlobalOptions, _ settings: Settings,
        _ console: Console, _ asksServers: Bool
    ) throws(Failure) -> CoreEnvironment {
        // Before anything is done: what asks for it later can't refuse it.
        _ = try settings.timeLength("BSKYAUTH_LOCK_TIMEOUT", settings.lockTimeout)
        let network =
            if let network = needs.network {
                network
            } else {
                try network(options, settings, console, asksServers)
            }
        let policy = network.policy
        let opener = VaultOpener(options: options, settings: settings, console: console)
        let vault = try opener.open(creates: needs.createsVault)
        let identities = LiveIdentities(options, settings, network, clock: SystemClock())
        return CoreEnvironment(
            policy: policy, transport: identities.transport, identities: try identities.resolver(),
            accounts: AccountStore(vault: vault), caches: identities.caches, clientKeys: NoClientKeys(),
            wallClock: identities.clock, redirects: needs.redirects, browser: needs.browser,
            criticalSection: SignalSafeSection(console: console), threads: BlockingWork.shared,
            handover: needs.handover, log: network.log)
    }
}
