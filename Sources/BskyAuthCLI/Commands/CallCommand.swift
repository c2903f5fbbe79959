internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoRecordProof
internal import ATProtoSessions
internal import ATProtoVault
internal import ATProtoXRPC
internal import ArgumentParser
internal import BskyAuthCore

struct CallCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Make an XRPC call and print the response.",
        discussion: """
            Items: name=value is a string, in the URL of a query or in the body of a procedure. name:=json is a \
            JSON value in the same place. name==value is always in the URL; repeat it for an array. Name:value is \
            a header. In a body, 'name[a][0]=value' is nested. The AT-URI of a record, or the address of its page \
            on bsky.app, stands for repo, collection and rkey.

              bskyauth call app.bsky.actor.getProfile actor=bsky.app
              bskyauth call com.atproto.repo.createRecord collection=app.bsky.feed.post \\
                'record[text]=Hello!'
              bskyauth call com.atproto.repo.getRecord \\
                https://bsky.app/profile/bsky.app/post/3l6oveex3ii2l
              bskyauth call com.atproto.repo.uploadBlob --input photo.jpg
              bskyauth call app.bsky.graph.getFollows actor=bsky.app --items --anonymous
            """,
        aliases: ["xrpc"])

    enum Method: String, ExpressibleByArgument, CaseIterable {
        case query, procedure
    }

    @Argument(help: "The method, for example app.bsky.feed.getTimeline.", completion: .method)
    var nsid: String

    @Argument(
        help: ArgumentHelp("A parameter, a member of the body, or a header.", valueName: "item"),
        completion: .parameter)
    var items: [String] = []

    @Option(
        name: [.customShort("X"), .long],
        help: "query or procedure, if the method's name suggests the wrong one.")
    var method: Method?

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("Send a header, written Name:value. Repeatable.", valueName: "name:value"))
    var header: [String] = []

    @Option(
        help: ArgumentHelp(
            "Send a string, written name=value. Use it for text you did not write: nothing in the value is interpreted. Repeatable.",
            valueName: "name=value"))
    var field: [String] = []

    @Option(
        help: ArgumentHelp(
            "Send the text of a file, written name=PATH, or the JSON in it, written name:=PATH; - reads standard input. Repeatable.",
            valueName: "name=path"))
    var file: [String] = []

    @Option(
        help: ArgumentHelp("Send this file as the whole body; - reads standard input.", valueName: "file"),
        completion: .file())
    var input: String?

    @Option(
        help: ArgumentHelp(
            "The media type of --input, if neither the file's name nor the method nor the content tells it.",
            valueName: "type")
    )
    var contentType: String?

    @Flag(help: "Send a write without the repo, $type and createdAt that are filled in otherwise.")
    var noDefaults = false

    @Flag(
        help:
            "Find mentions, links and tags in the text of a post, and send their places with it. Mentioned handles are looked up."
    )
    var facets = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write the response to a file; - is standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(
        name: .shortAndLong,
        help:
            "Print the status and the headers of the response first, and the whole response if it is an error."
    )
    var include = false

    @OptionGroup var services: ServiceOptions

    @OptionGroup var paging: PagingOptions

    @OptionGroup var part: GetOption

    @Flag(help: "Call without an account: no credentials, no vault.")
    var anonymous = false

    @Option(
        help: ArgumentHelp(
            "The server, for example https://pds.example.com. Without --anonymous only the account's own server is allowed.",
            valueName: "url"))
    var host: String?

    @OptionGroup var retries: RetryOptions

    @Flag(
        help:
            "Send the call even if its parameters or records are wrong, as far as the public lexicons say.")
    var noCheck = false

    @Flag(
        help:
            "With com.atproto.repo.getRecord: print the record only if a proof of its own PDS says the same (see bskyauth-verify(1))."
    )
    var verify = false

    @Flag(help: "Print the request without its secrets and send nothing.")
    var dryRun = false

    @Option(help: .lexicons, completion: .directory)
    var lexicons: String?

    @OptionGroup var mirror: MirrorOptions

    @OptionGroup var global: GlobalOptions

    var usesPager: Bool { true }

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws {
        if dryRun { return try await outline(context, servers) }
        if anonymous {
            let network = try servers.network()
            let client = AnonymousXRPCClient(
                transport: network.transport(network.policy), server: try anonymousServer(network.policy))
            let request = Read(request: try request(owner: nil), lexicons: .compiled)
            return try await print(request, from: client, context) { try servers.environment(network) }
        }
        let service = try services.directService()
        guard service == nil || host == nil else {
            throw Failure.usage("--service finds the server itself, so --host can't be used with it")
        }
        let mirror = try mirror.make(context)
        let network = try servers.network()
        let core = try servers.sessions(mirror: mirror, network: network)
        let account = try await account(in: core.accounts, context)
        let client = client(core, as: account, service, context)
        let owner = RepositoryOwner(account: account, servers: servers, fillsIn: !noDefaults)
        let lexicons = CallLexicons(
            context, asks: !noCheck && method == nil, folder: { try servers.lexiconFolder(self.lexicons) }
        ) {
            try servers.lexicons(seal: core.accounts.vault, on: network)
        }
        try await print(try await request(owner: owner, lexicons), from: client, context) { core.network }
    }

    /// With `--verify`, a client that answers only with what is proven.
    func verifying(
        _ client: any XRPCClient, _ request: XRPCRequest, _ context: CommandContext,
        _ network: () throws -> NetworkEnvironment
    ) throws -> any XRPCClient {
        guard verify else { return client }
        guard request.nsid.description == "com.atproto.repo.getRecord", paging.line == nil else {
            throw Failure.usage("--verify is for one com.atproto.repo.getRecord")
        }
        guard request.parameters.values("cid").isEmpty else {
            throw Failure.usage("--verify proves the present record, so cid can't be given")
        }
        let parts = ["repo", "collection", "rkey"].compactMap(request.parameters.single)
        guard parts.count == 3,
            let record = try? RecordReference(parsing: "at://" + parts.joined(separator: "/"))
        else { throw Failure.usage("--verify needs the address of a record: repo, collection and rkey") }
        let network = try network()
        let (console, revisions) = (context.console, context.revisions(on: network.policy))
        return VerifyingXRPCClient(client, RecordVerifier(network), record) { proof, signer in
            let report = CommitReport(
                proof.commit, signer, revisions.note(proof.commit, signedBy: signer))
            report.warnings.forEach(console.insist)
        }
    }

    /// Sends the calls of an account: to its own server, or to a service.
    private func client(
        _ core: SessionEnvironment, as account: Account, _ service: ServiceReference?,
        _ context: CommandContext
    ) -> any XRPCClient {
        guard let service else {
            return AccountXRPCClient(core, as: account, lockTimeout: context.lockTimeout)
        }
        return ServiceXRPCClient(
            core, as: account, to: service, namesService: services.audience.namesService,
            lockTimeout: context.lockTimeout)
    }

    /// The account that calls, at its own server.
    private func account(in accounts: VaultAccounts, _ context: CommandContext) async throws -> Account {
        let account = try await context.select(in: accounts).account
        if let server = try server(), server != account.pds {
            throw ErrorPresenter.foreignHost(account, server)
        }
        return account
    }

    /// The server with the public data of Bluesky. It needs no account.
    private static let publicServer = Origin(scheme: .https, host: "public.api.bsky.app")

    /// The server of a call without an account. No vault is opened or created.
    private func anonymousServer(_ policy: NetworkPolicy) throws -> Origin {
        guard global.account == nil else { throw Failure.usage("--anonymous and -a can't be used together") }
        guard try services.service() == nil, try services.directService() == nil else {
            throw Failure.usage(
                "--proxy, --appview, --chat and --service need an account; without one, name the server with --host"
            )
        }
        return try server() ?? policy.devNetwork ?? Self.publicServer
    }

    /// The server that `--host` names; nil without it.
    private func server() throws -> Origin? {
        guard let host else { return nil }
        guard let server = Origin(server: host) else {
            throw Failure.usage("--host takes the URL of a server, for example https://pds.example.com")
        }
        return server
    }

    /// Prints the request that would be sent. Settings that only matter for sending are not read, unless the cache has lexicons.
    private func outline(_ context: CommandContext, _ servers: ServerAccess) async throws {
        guard services.direct == nil else {
            throw Failure.usage("--dry-run sends nothing, so it can't find the server of --service")
        }
        let outline: RequestOutline
        if anonymous {
            let server = try anonymousServer(try servers.policy())
            let read = Read(request: try request(owner: nil), lexicons: .compiled)
            let request = try await outlined(read, context)
            outline = RequestOutline(
                request, to: server, warnings: check(request, read.lexicons).doubts)
        } else {
            _ = try mirror.make(context)
            let accounts = try context.accounts()
            let account = try await account(in: accounts, context)
            let owner = RepositoryOwner(account: account, servers: servers, fillsIn: !noDefaults)
            let lexicons = CallLexicons(
                context, asks: false, folder: { try servers.lexiconFolder(self.lexicons) }
            ) {
                try servers.lexicons(seal: accounts.vault)
            }
            let read = try await request(owner: owner, lexicons)
            let request = try await outlined(read, context)
            outline = RequestOutline(
                request, to: account.pds, with: try accounts.session(account.id).credential,
                warnings: check(request, read.lexicons).doubts)
        }
        let console = context.console
        if console.usesJSON { return try console.write(outline.json) }
        try console.write(line: outline.lines.joined(separator: "\n"))
    }
}
