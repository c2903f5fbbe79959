internal import ATPNetworking
internal import ATProtoDNS
internal import ATProtoIdentity
internal import ATProtoOAuth
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthRows
internal import BskyAuthServerSupport
internal import FoundationEssentials
internal import Logging
internal import OAuthDPoP

/// The parts of a server that its commands use too: rows, keys, vault, and the client of the servers of accounts.
struct ServerParts: Sendable {
    let configuration: Configuration
    let rows: any RowStore
    let ring: SealingRing
    let clientKeys: [ClientKey]
    /// The public halves of the keys that authenticate the server; none for a public client.
    let publicKeys: [PublicJWK]
    let metadata: ClientMetadata
    let vault: FileVault
    let client: ATProtoClient
    let logins: LoginClients
    /// Spares the servers of accounts, like a login that begins.
    let sparingIdentities: NetworkIdentities
    let sessions: Sessions
    let lastUse: LastUse
    let audit: AuditLog
    let metrics: Metrics
    let log: Logger
    let now: @Sendable () -> Date

    /// Opens what the server keeps, and makes what is missing.
    ///
    /// - Parameter say: tells the operator what was made.
    init(_ configuration: Configuration, say: (String) -> Void) async throws {
        self.configuration = configuration
        log = Logger(label: "bskyauth-server") { StreamLogHandler.standardError(label: $0) }
        let now: @Sendable () -> Date = { Date() }
        self.now = now
        if let file = OutgoingCurl.unreadableAuthorities { throw ServerStoreError.noAuthorities(file) }
        try PrivateFiles.prepare(folder: configuration.state)
        try PrivateFiles.prepare(folder: configuration.keysFolder)
        metrics = Metrics()
        rows = CountedRows(rows: try ServerStore.rows(configuration), name: "rows", metrics: metrics)
        try await rows.prepare()
        vault = try await Self.vault(configuration, metrics, say)
        try ServerStore.check(vault, configuration)
        let shared = configuration.store == nil ? nil : SharedKeys(rows: rows, vault: vault)
        let sealing = try await Self.keys(.sealing, shared, configuration, say)
        let signing = try await Self.keys(.client, shared, configuration, say)
        ring = try SealingRing(sealing)
        clientKeys = try signing.keys.map {
            try ClientKey(privateJWK: $0.secret)
        }
        publicKeys = configuration.isConfidential ? clientKeys.map(\.publicKey) : []
        metadata = try configuration.clientMetadata(publicKeys)
        let transport = OutsideTransport(
            OutgoingCurl.transport(configuration.policy), own: configuration.baseURL, metrics: metrics,
            log: log, now: now)
        let sparing = SparingTransport(transport, now: now)
        sparingIdentities = Self.identities(configuration, through: sparing)
        logins = LoginClients(
            beginning: Self.client(configuration, clientKeys, vault, through: sparing),
            asking: Self.client(configuration, clientKeys, vault, scope: "atproto", through: sparing),
            completing: Self.client(configuration, clientKeys, vault, through: transport))
        client = logins.completing
        lastUse = LastUse(rows: rows)
        sessions = Sessions(
            book: SessionBook(rows: rows, now: now), ring: ring,
            accounts: OwnedVaultAccounts(client: client, store: vault, log: log), lastUse: lastUse,
            idle: configuration.sessionIdle, ttl: configuration.sessionTTL, log: log, now: now)
        audit = AuditLog(
            folder: configuration.auditFolder, settings: configuration.audit, rows: rows, log: log, now: now)
    }

    var sweep: Sweep {
        Sweep(
            rows: rows, store: vault, client: client, sessions: sessions,
            idleAfter: configuration.refreshIdleAfter, audit: audit, log: log, pace: .seconds(1), now: now)
    }

    private static func client(
        _ configuration: Configuration, _ keys: [ClientKey], _ vault: FileVault,
        scope: String? = nil, through transport: any HTTPTransport
    ) -> ATProtoClient {
        ATProtoClient(
            // A login signs with the first key, and a session with the key of its login.
            as: ClientIdentity(
                clientID: configuration.clientID, redirectURI: configuration.redirectURI,
                scope: scope ?? configuration.scope,
                assertions: configuration.isConfidential ? keys.reversed() : []),
            store: vault, transport: transport, identities: identities(configuration, through: transport),
            policy: configuration.policy)
    }

    private static func identities(
        _ configuration: Configuration, through transport: any HTTPTransport
    ) -> NetworkIdentities {
        NetworkIdentities(
            transport: transport,
            textRecords: configuration.devNetwork == nil ? SystemTextRecords() : nil,
            policy: configuration.policy)
    }

    private static func keys(
        _ kind: KeyKind, _ shared: SharedKeys?, _ configuration: Configuration, _ say: (String) -> Void
    ) async throws -> KeyFile {
        var file = try KeyFile(kind, in: configuration.keysFolder)
        var made: StoredKey?
        try await file.update(in: shared) { file in
            made = file.keys.isEmpty ? try file.add(at: Date()) : nil
        }
        if let key = made {
            say(
                "made the \(kind.rawValue) key \(key.kid) in \(file.path). Include this file in your backups."
            )
        }
        return file
    }

    private static func vault(
        _ configuration: Configuration, _ metrics: Metrics, _ say: (String) -> Void
    ) async throws -> FileVault {
        if let vault = try await ServerStore.openVault(configuration, countedBy: metrics) { return vault }
        guard configuration.store == nil else {
            throw ServerStoreError.noVault(configuration.vaultFolder, key: configuration.vaultKeyFile)
        }
        let vault = try await FileVault.create(
            at: configuration.vaultFolder, key: .keyFile(configuration.vaultKeyFile))
        say(
            "made the vault \(configuration.vaultFolder), which \(configuration.vaultKeyFile) opens. "
                + "Include both in your backups.")
        return vault
    }
}
