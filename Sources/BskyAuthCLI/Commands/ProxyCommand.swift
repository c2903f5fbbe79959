internal import ATPJSON
internal import ATPPlatform
internal import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ArgumentParser
internal import BskyAuthCore
internal import BskyAuthLoopback

struct ProxyCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Let programs act as accounts for as long as this command runs.",
        discussion: """
            The same as exec for programs that are started elsewhere. The address, and a handle and a secret for \
            each account, go to standard output or to --env-file. With --json and --env-file, standard output \
            has no secrets. The secrets stop working when this command ends.

            Not to be confused with call --proxy, which names a service behind the PDS.

              bskyauth proxy --socket ~/.bskyauth-run/alice
              bskyauth proxy --listen 127.0.0.1:2480 --env-file proxy.env --read-only
            """)

    @Argument(
        help: ArgumentHelp("The accounts (default: the selected account).", valueName: "account"),
        completion: .account)
    var selectors: [String] = []

    @Option(
        help: ArgumentHelp(
            "Listen on this port of 127.0.0.1; 0 is any free port.", valueName: "127.0.0.1:port"))
    var listen: String?

    @Option(
        help: ArgumentHelp(
            "Listen on a Unix socket in a directory that only you can enter.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "Write the address and the secrets to this new file, and remove it at the end.", valueName: "file"
        ),
        completion: .file())
    var envFile: String?

    @OptionGroup var access: AccessOptions

    @OptionGroup var mirror: MirrorOptions

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws {
        let (place, limits) = (try place(), try access.limits())
        let core = try servers.sessions(mirror: try mirror.make(context))
        let targets = try await AccountTargets(selectors: selectors, all: false).resolve(
            core.accounts, context)
        try access.tellOfIdleRules(context.console)
        let log = try access.requestLog(context.console)
        context.console.progress.turnOff()
        if let socket { try ProxySocket(socket).prepare() }
        // From here on, a signal ends the command only after everything is put away.
        SignalHold.begin(.ending)
        defer { SignalHold.end(.ending) }
        try await ProgramProxy.run(
            at: place, for: targets.accounts, in: core, access, limits, log: log, context
        ) { service in
            // Only now the socket is this proxy's own.
            let file = socket.flatMap { ProxySocket($0).file() }
            // If it stays, the next proxy removes it.
            defer { do { _ = try file?.remove() } catch {} }
            try await serve(service, context)
        }
    }

    func place() throws -> RequestServer.Place {
        guard listen == nil || socket == nil else {
            throw Failure.usage("--listen and --socket can't be used together")
        }
        if let socket { return .socket(socket) }
        guard let listen else { return .port(0) }
        let address = "127.0.0.1:"
        guard listen.hasPrefix(address) else {
            throw Failure.usage("--listen takes 127.0.0.1:PORT and no other address")
        }
        let text = String(listen.dropFirst(address.count))
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text) else {
            throw Failure.usage(
                "\"\(text.escapedForTerminal)\" is no port: --listen takes 127.0.0.1:PORT with a number from 0 to 65535"
            )
        }
        return .port(Int(port))
    }

    /// The whole path of a socket, which programs in other directories need.
    private static func whole(_ path: String) throws -> String {
        if path.hasPrefix("/") { return path }
        do { return try WorkingDirectory.path() + "/" + path } catch {
            throw Failure(
                .failure, "no_directory", "the working directory can't be found: \(error.reason)",
                hint: "name the whole path:  --socket /PATH")
        }
    }

    /// Tells where the proxy is, and waits until a signal or `vault lock` ends it.
    private func serve(_ service: ProgramProxy, _ context: CommandContext) async throws {
        let address = try service.url ?? "unix:\(Self.whole(socket ?? ""))"
        let settings = service.accounts.map { ChildSettings(url: address, account: $0) }
        let file = try envFile.map { try EnvironmentFile($0, settings) }
        defer { file?.remove(context.console) }
        if file == nil || global.json { try announce(settings, context) }
        context.console.say("the proxy listens on \(address.escapedForTerminal); press Ctrl-C to end it")
        if await service.watch() == .closed { throw service.closed }
    }

    private func announce(_ settings: [ChildSettings], _ context: CommandContext) throws {
        guard global.json else {
            return try context.console.write(line: EnvironmentFile.lines(settings).joined(separator: "\n"))
        }
        try context.console.write([
            "schema": "bskyauth.proxy/1", "url": JSONValue(settings.first?.url),
            "accounts": .array(
                settings.map { settings in
                    [
                        "did": .string(settings.account.account.did.description),
                        "handle": .string(settings.account.account.publicHandle),
                        // What a file has does not go to standard output too.
                        "secret": envFile == nil ? .string(settings.account.secret) : .null,
                    ]
                }),
        ])
    }
}

/// A new file with the variables of a proxy, for `set -a; . FILE`. Only this user can read it.
struct EnvironmentFile {
    private let path: String
    private let file: MadeFile

    init(_ path: String, _ settings: [ChildSettings]) throws {
        self.path = path
        let text = Self.lines(settings).map { $0 + "\n" }.joined()
        do throws(SystemError) {
            try AtomicFile.create(Array(text.utf8), at: path)
            do throws(SystemError) { file = try MadeFile(path) } catch {
                // It has the secret of the proxy, and nothing else would remove it.
                do { _ = try FileSystem.remove(path) } catch {}
                throw error
            }
        } catch {
            throw Failure(
                .failure, "env_file", "\(path.escapedForTerminal) can't be written: \(error.reason)",
                hint: Failure.missingDirectory(of: path, error)
                    ?? "name a file that does not exist yet:  --env-file FILE")
        }
    }

    /// The variables, one on each line. The names of a second account end in _2, and so on.
    static func lines(_ settings: [ChildSettings]) -> [String] {
        settings.enumerated().flatMap { index, settings in
            let end = index == 0 ? "" : "_\(index + 1)"
            return settings.own.sorted { $0.key < $1.key }.map { "\($0.key)\(end)=\($0.value.shellQuoted)" }
        }
    }

    func remove(_ console: Console) {
        let name = path.escapedForTerminal
        do {
            guard try !file.remove() else { return }
            console.say("\(name) is another file now, so it stays")
        } catch {
            console.say("\(name) could not be removed: \(error.reason)")
        }
    }
}
