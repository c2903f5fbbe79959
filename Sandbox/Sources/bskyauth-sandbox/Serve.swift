import ArgumentParser
import Foundation
import SandboxNetwork

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a sandbox network until SIGTERM.",
        discussion: """
            Writes one line to stdout once it listens: export BSKYAUTH_DEV_NETWORK=http://127.0.0.1:PORT. \
            Accounts without a password have the password "\(SandboxConfiguration.defaultPassword)".
            """
    )

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 lets the system choose.")
    var port = 0

    @Option(
        name: .customLong("account"),
        help: ArgumentHelp(
            "An account to create, repeatable. Default: alice.test, bob.test.", valueName: "handle[:password]"
        )
    )
    var accounts: [AccountArgument] = []

    @Option(
        name: .customLong("app-password"),
        help: ArgumentHelp(
            "An app password xxxx-xxxx-xxxx-xxxx of one of the accounts, repeatable.",
            valueName: "handle:password"))
    var appPasswords: [AppPasswordArgument] = []

    @Flag(help: "Approve every authorization for the account of its login_hint, without asking.")
    var autoApprove = false

    @Option(
        name: .customLong("access-token-ttl"),
        help: ArgumentHelp("How long access tokens live, as 30s, 5m, 1h, 14d.", valueName: "duration"))
    var accessTokenTTL = DurationArgument(.seconds(3600))

    @Option(
        help: ArgumentHelp(
            "How often DPoP nonces change; as the profile's server does by default.", valueName: "duration"))
    var nonceRotation: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "The server to play: \(ServerProfile.all.map(\.name).joined(separator: ", ")).", valueName: "name"
        ))
    var profile = ProfileArgument.official

    @Option(
        help: ArgumentHelp(
            "Serve https through nginx with the certificate chain in this PEM file.", valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("A PEM file with the certificate's private key.", valueName: "file"))
    var tlsKey: String?

    @Option(
        name: .customLong("client-ca"),
        help: ArgumentHelp(
            "Fetch the documents of https client_ids with curl, and trust the certificate authorities in this PEM file.",
            valueName: "file"))
    var clientAuthorities: String?

    @Option(help: ArgumentHelp("How long fetching a client's document may take.", valueName: "duration"))
    var clientTimeLimit = DurationArgument(.seconds(10))

    @Option(
        name: .customLong("origin"),
        help: ArgumentHelp(
            "The public URL of a role, as ROLE=URL with as, pds, plc or svc; repeatable.",
            valueName: "role=url"))
    var origins: [OriginArgument] = []

    @Option(help: ArgumentHelp("A port of its own for the authorization server.", valueName: "port"))
    var asPort: Int?

    @Option(help: ArgumentHelp("A second port for the PLC directory.", valueName: "port"))
    var plcPort: Int?

    @Option(
        help: ArgumentHelp("A port for a service that takes service tokens.", valueName: "port"))
    var servicePort: Int?

    @Option(help: ArgumentHelp("The largest blob, in bytes.", valueName: "bytes"))
    var blobLimit = 128 << 20

    @Option(help: ArgumentHelp("A file that gets the export line as well.", valueName: "file"))
    var envFile: String?

    func validate() throws {
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key go together.")
        }
        let handles = Set(seeds.map { $0.handle.lowercased() })
        for argument in appPasswords where !handles.contains(argument.handle) {
            throw ValidationError("--app-password: there is no account \(argument.handle).")
        }
    }

    func run() async throws {
        let network = try SandboxNetwork(networkConfiguration)
        try await network.run(handlesSignals: true) { url in
            announce(url)
        }
    }

    private var seeds: [SandboxConfiguration.AccountSeed] {
        accounts.isEmpty ? SandboxConfiguration().accounts : accounts.map(\.seed)
    }

    private var networkConfiguration: SandboxConfiguration {
        var configuration = SandboxConfiguration()
        configuration.host = host
        configuration.port = port
        configuration.rolePorts[.authorizationServer] = asPort
        configuration.rolePorts[.plcDirectory] = plcPort
        configuration.rolePorts[.service] = servicePort
        for origin in origins { configuration.origins[origin.role] = origin.url }
        configuration.accounts = seeds.map { seed in
            var seed = seed
            seed.appPasswords = appPasswords.filter { $0.handle == seed.handle.lowercased() }.map(\.password)
            return seed
        }
        configuration.approvesUnasked = autoApprove
        configuration.accessTokenLifetime = accessTokenTTL.duration
        configuration.nonceRotation = nonceRotation?.duration
        configuration.profile = profile.profile
        configuration.blobLimit = blobLimit
        configuration.clientDocuments = clientAuthorities.map {
            .init(authorities: $0, timeLimit: clientTimeLimit.duration)
        }
        if let tlsCert, let tlsKey { configuration.tls = .init(certificate: tlsCert, key: tlsKey) }
        return configuration
    }

    /// Writes the export line to stdout, and to the file if there is one.
    private func announce(_ url: String) {
        let line = "export BSKYAUTH_DEV_NETWORK=\(url)\n"
        if let envFile {
            do {
                try Data(line.utf8).write(to: URL(filePath: envFile), options: .atomic)
            } catch {
                FileHandle.standardError.write(
                    Data("bskyauth-sandbox: can't write \(envFile): \(error)\n".utf8))
            }
        }
        FileHandle.standardOutput.write(Data(line.utf8))
        let names = networkConfiguration.accounts.map(\.handle).joined(separator: ", ")
        FileHandle.standardError.write(Data("bskyauth-sandbox: serving \(url) for \(names)\n".utf8))
    }
}
