internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import BskyAuthCore

/// The network settings that decide what an identity resolves to. The cache keeps the answers of different settings
/// apart.
struct IdentitySources {
    let options: GlobalOptions
    let settings: NetworkSettings
    let policy: NetworkPolicy

    /// The server of did:plc documents.
    func plcDirectory() throws -> HTTPURL {
        guard let text = settings.value(.plcURL) else {
            return policy.devNetwork.map { HTTPURL(origin: $0) } ?? DIDResolver.publicPLCDirectory
        }
        guard let url = try? HTTPURL(validating: text) else {
            throw Failure.usage("BSKYAUTH_PLC_URL is \"\(text.escapedForTerminal)\", which is not a URL")
        }
        return url
    }

    /// `--resolver` or its variable.
    var resolverName: String? { options.resolver ?? settings.value(.resolver) }

    /// The cached identities that were resolved under these settings.
    func cache(in store: any CacheStore, _ clock: any WallClock) throws -> StoredIdentityCache {
        StoredIdentityCache(
            store: store, clock: clock, policy: policy,
            sources: "\(try names()) resolver=\(resolverName ?? "direct")")
    }

    /// The network, and who is asked there about names and DIDs.
    func names() throws -> String {
        let network = policy.devNetwork?.description ?? (policy.allowsPrivateNetwork ? "private" : "public")
        return
            "network=\(network) plc=\(try plcDirectory()) dns=\(settings.value(.dnsServer) ?? "system")"
    }
}
