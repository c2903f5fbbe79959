internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoDNS
internal import ATProtoIdentity
internal import ATProtoSessions
internal import BskyAuthCore
internal import Logging

/// Makes the identity resolver from the options and variables.
struct LiveIdentities {
    let options: GlobalOptions
    let settings: NetworkSettings
    let policy: NetworkPolicy
    let transport: any HTTPTransport
    /// Allows private addresses; see ``HTTPSTextRecords``.
    let nameServerTransport: any HTTPTransport
    let caches: any CacheStore
    let clock: any WallClock
    private let log: Logger

    init(
        _ options: GlobalOptions, _ settings: NetworkSettings, _ network: LiveNetwork,
        caches: any CacheStore, clock: any WallClock
    ) {
        self.options = options
        self.settings = settings
        policy = network.policy
        transport = network.transport(policy)
        nameServerTransport = network.transport(
            NetworkPolicy(devNetwork: policy.devNetwork, allowsPrivateNetwork: true))
        self.caches = caches
        self.clock = clock
        log = network.log
    }

    /// The settings that the answers depend on.
    var sources: IdentitySources { IdentitySources(options: options, settings: settings, policy: policy) }

    /// - Parameter usesShortcut: whether the service of `--resolver` may be asked.
    func resolver(usesShortcut: Bool = true) throws -> IdentityResolver {
        let shortcut = try shortcut()
        return IdentityResolver(
            handles: HandleResolver(
                transport: transport, textRecords: try textRecords(), policy: policy),
            dids: DIDResolver(
                transport: transport, policy: policy, plcDirectory: try sources.plcDirectory()),
            cache: LoggedIdentityCache(cache: try sources.cache(in: caches, clock), log: log),
            shortcut: usesShortcut ? shortcut : nil)
    }

    /// Who is asked for TXT records.
    func textRecords() throws -> any TextRecordResolver {
        switch try settings.nameServer() {
        case .resolver(let resolver):
            LoggedTextRecords(resolver: SystemTextRecords(resolver: resolver), source: "DNS", log: log)
        case .https(let url):
            LoggedTextRecords(
                resolver: HTTPSTextRecords(transport: nameServerTransport, server: url),
                source: "DNS over HTTPS", log: log)
        }
    }

    /// The service that `--resolver` names, as `slingshot` or `slingshot=https://slingshot.example.com`.
    private func shortcut() throws -> MiniDocumentResolver? {
        guard let text = sources.resolverName, text != "direct" else { return nil }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let url = parts.count == 2 ? try? HTTPURL(validating: String(parts[1])) : nil
        guard parts[0] == "slingshot", parts.count == 1 || url?.path == "/" else {
            throw Failure.usage(
                "--resolver takes direct, slingshot or slingshot=URL, not \"\(text.escapedForTerminal)\"")
        }
        return MiniDocumentResolver(
            transport: transport, policy: policy,
            service: url?.origin ?? MiniDocumentResolver.publicService)
    }
}
