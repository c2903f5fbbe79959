internal import ATPNetworking
internal import ATProtoCurl
internal import ATProtoDNS
internal import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoOAuth
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthPrivateFiles
internal import BskyAuthRows
internal import BskyAuthSQLiteRows
internal import FoundationEssentials
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import OAuthDPoP
internal import ServiceLifecycle

/// The server as it runs.
package struct BackendServer {
    private let application: Application<RouterResponder<ServerContext>>

    /// Opens what the server keeps, and makes what is missing.
    ///
    /// - Parameter say: tells the operator what was made, and where the server listens.
    package init(_ configuration: Configuration, say: @escaping @Sendable (String) -> Void) async throws {
        let log = Logger(label: "bskyauth-server") { StreamLogHandler.standardError(label: $0) }
        try PrivateFiles.prepare(folder: configuration.state)
        try PrivateFiles.prepare(folder: configuration.keysFolder)
        let ring = try SealingRing(try Self.keys(.sealing, configuration, say))
        let clientKeys = try Self.keys(.client, configuration, say).keys.map {
            try ClientKey(privateJWK: $0.secret)
        }
        let publicKeys = configuration.isConfidential ? clientKeys.map(\.publicKey) : []
        let metadata = try configuration.clientMetadata(publicKeys)
        let rows = try SQLiteRows(in: configuration.rowsFolder)
        let vault = try await Self.vault(configuration, say)

        let transport = OutsideTransport(
            transport: CurlTransport(policy: configuration.policy, userAgent: "bskyauth-server"),
            own: configuration.baseURL)
        let now: @Sendable () -> Date = { Date() }
        func makeClient(_ transport: any HTTPTransport) -> ATProtoClient {
            ATProtoClient(
                // A login signs with the first key, and a session with the key of its login.
                as: ClientIdentity(
                    clientID: configuration.clientID, redirectURI: configuration.redirectURI,
                    scope: configuration.scope,
                    assertions: configuration.isConfidential ? clientKeys.reversed() : []),
                store: vault, transport: transport,
                identities: NetworkIdentities(
                    transport: transport,
                    textRecords: configuration.devNetwork == nil ? SystemTextRecords() : nil,
                    policy: configuration.policy),
                policy: configuration.policy)
        }
        let logins = LoginClients(
            beginning: makeClient(SparingTransport(transport, now: now)), completing: makeClient(transport))
        let client = logins.completing
        let accounts = VaultAccounts(client: client, store: vault, log: log)
        let book = SessionBook(rows: rows)
        let backend = Backend(
            configuration: configuration,
            logins: Logins(
                rows: rows, ring: ring, client: logins, book: book, accounts: accounts, now: now),
            sessions: Sessions(
                book: book, ring: ring, accounts: accounts,
                idle: configuration.sessionIdle, ttl: configuration.sessionTTL, now: now),
            admission: Admission(configuration.limits, now: now), client: client, gateway: Gateway(),
            uploads: Uploads(
                in: configuration.state, longest: configuration.limits.uploadMegabytes << 20,
                most: configuration.limits.uploadsAtOnce),
            rows: rows,
            assertions: configuration.assertions.map {
                Assertions($0, configuration, keys: clientKeys, rows: rows, log: log, now: now)
            },
            metadata: metadata, clientKeys: publicKeys)

        var quiet = log
        quiet.logLevel = .warning
        application = Application(
            responder: backend.router().buildResponder(),
            server: .http1(
                configuration: .init(
                    idleTimeout: .seconds(60),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)
                )),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.listen.host, port: configuration.listen.port),
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.limits.connections)),
            services: [Purge(rows: rows, log: quiet)],
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? configuration.listen.port
                let address = ListenAddress(host: configuration.listen.host, port: port)
                say("listening at http://\(address) for \(configuration.baseURL)")
            },
            logger: quiet)
    }

    /// Serves until SIGTERM or SIGINT. Requests that have begun are answered.
    package func run() async throws {
        try await application.runService()
    }

    private static func keys(
        _ kind: KeyKind, _ configuration: Configuration, _ say: (String) -> Void
    ) throws -> KeyFile {
        var file = try KeyFile(kind, in: configuration.keysFolder)
        if file.keys.isEmpty {
            let key = try file.add(at: Date())
            say(
                "made the \(kind.rawValue) key \(key.kid) in \(file.path). Include this file in your backups."
            )
        }
        return file
    }

    private static func vault(
        _ configuration: Configuration, _ say: (String) -> Void
    ) async throws -> FileVault {
        let key = VaultKey.keyFile(configuration.vaultKeyFile)
        do { return try await FileVault.open(at: configuration.vaultFolder, key: key) } catch {
            guard error.code == .missing else { throw error }
        }
        let vault = try await FileVault.create(at: configuration.vaultFolder, key: key)
        say(
            "made the vault \(configuration.vaultFolder), which \(configuration.vaultKeyFile) opens. "
                + "Include both in your backups.")
        return vault
    }
}

/// Removes expired rows every minute.
private struct Purge: Service {
    let rows: SQLiteRows
    let log: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    while try await rows.removeExpired() > 0 {}
                } catch {
                    log.warning("expired rows were not removed: \(error)")
                }
                do { try await Task.sleep(for: .seconds(60)) } catch { return }
            }
        }
    }
}
