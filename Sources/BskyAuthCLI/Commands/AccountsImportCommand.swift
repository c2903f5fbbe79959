internal import ATPJSON
internal import ATPPlatform
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import OAuthDPoP

struct AccountsImportCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import accounts from another machine, or an account from another program.",
        discussion: """
            The account keeps its UUID, label and session. If there is no vault yet, one is created. Delete the \
            bundle afterwards: to import it once more elsewhere would end the session. A directory of \
            `accounts export --all` imports every bundle in it.

            With --from oauth-client-node, the file is a session that a program saved with that JavaScript library: \
            a JSON object with dpopJwk and tokenSet. Stop that program first: two copies of a session end it.
            """)

    @Argument(
        help: "The bundle, a directory of bundles, or the session; - reads it from standard input.",
        completion: .file())
    var file: String

    @Option(help: "What the file is (bundle, oauth-client-node).")
    var from: ImportSource = .bundle

    @Option(
        help: ArgumentHelp(
            "The client_id of the program. Not needed if the access token contains it.", valueName: "id"))
    var clientID: String?

    @Option(help: ArgumentHelp("A label for the account of a session.", valueName: "name"))
    var label: String?

    @OptionGroup var bundle: BundleOptions

    @Option(
        help: ArgumentHelp(
            "Refuse a bundle with a lower generation (exit status 75). See bskyauth-ci(7).",
            valueName: "number"))
    var minGeneration: UInt64?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        switch from {
        case .bundle where clientID != nil || label != nil:
            throw ValidationError("--client-id and --label go with --from oauth-client-node")
        case .oauthClientNode where !bundle.words.isEmpty || minGeneration != nil:
            throw ValidationError(
                "--recipient-key, --bundle-passphrase-file and --min-generation are for bundles")
        case .bundle, .oauthClientNode: break
        }
    }

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws -> Document {
        switch from {
        case .bundle:
            guard let bundles = try bundles() else {
                return try await naming { try await importOne(context, servers) }
            }
            return try await importAll(bundles, context, servers)
        case .oauthClientNode: return try await takeOver(context, servers)
        }
    }

    /// A bundle whose session is here already is no longer needed, so the next step of that failure removes it.
    private func naming(_ work: () async throws -> Document) async throws -> Document {
        do { return try await work() } catch let error {
            guard case CoreError.takeover(.alreadyHere)? = error as? CoreError, !InputFile.isDescriptor(file)
            else {
                throw error
            }
            var failure = ErrorPresenter.failure(for: error)
            failure.hint = "rm \(file.escapedForTerminal.shellQuoted)"
            throw failure
        }
    }

    private func takeOver(_ context: CommandContext, _ servers: ServerAccess) async throws -> Document {
        let label = try label.map(AccountLabel.validated)
        let saved: NodeSession
        let client: Client
        do {
            saved = try NodeSession(read())
            client = try saved.client(named: clientID.map { ClientID($0) })
        } catch let problem as TakeoverProblem {
            throw CoreError.takeover(problem)
        }
        let taken = try await TakeoverFlow(servers.sessions(createsVault: true))
            .take(saved, of: client, label: label)
        let what =
            "the program that saved the session must not use it any more, because two copies end a session"
        context.console.insist("  \(what)")
        if let doubt = taken.doubt {
            let why =
                switch doubt {
                case .accessToken:
                    "its access token has expired, so only a refresh shows whether the session works"
                case .client:
                    "the file does not prove that the session belongs to \(client.id.description.escapedForTerminal), "
                        + "so only a refresh shows whether it can be refreshed"
                }
            let force = doubt == .client ? "--force " : ""
            context.console.insist(
                "  \(why):  bskyauth refresh \(force)\(AccountText.selector(taken.account))")
            if !InputFile.isDescriptor(file) { context.console.insist("  keep the file until then") }
        }
        say(taken.account, isActive: taken.isActive, of: taken.doubt == nil ? file : nil, context)
        return Document(json(taken.account, taken.session, isActive: taken.isActive, context))
    }

    private func importOne(_ context: CommandContext, _ servers: ServerAccess) async throws -> Document {
        let sealed = try read()
        let key = try bundle.source(context, isNew: false)
        let portable: PortableAccount
        do { portable = try await self.portable(sealed, key, servers) } catch let error as BundleError {
            throw ErrorPresenter.failure(error, opening: file)
        }
        // The policy before the vault: a setting that is not valid leaves no vault behind.
        let policy = try servers.policy()
        let accounts = try servers.context.accounts(createsVault: true)
        let added = try await ImportFlow(into: accounts, policy).add(portable)
        say(added.account, isActive: added.isActive, of: file, context)
        return Document(
            json(added.account, added.session, isActive: added.isActive, context),
            afterwards: {
                let note = try AccountText.sharedLabel(of: added.account, in: accounts)
                if let note { context.console.say(note) }
            })
    }

    /// Opens a bundle and checks that it can be used. The vault is opened afterwards, so that an unusable bundle leaves no new
    /// vault behind.
    ///
    /// - Throws: ``BundleError`` if the bundle does not open.
    func portable(
        _ sealed: [UInt8], _ key: KeySource, _ servers: ServerAccess
    ) async throws -> PortableAccount {
        let account = try SealedBundle(reading: sealed).open(with: key)
        if let minGeneration, account.generation < minGeneration {
            throw ErrorPresenter.superseded(account.generation, by: minGeneration, file)
        }
        if let client = ImportFlow.client(in: account) { try await requirePublished(client, servers) }
        return account
    }

    /// Says that an account was imported, and that its file is no longer needed; nil if it is still needed.
    func say(_ account: Account, isActive: Bool, of file: String?, _ context: CommandContext) {
        context.console.say("imported: \(AccountText.name(account))\(isActive ? ", active" : "")")
        if let file, !InputFile.isDescriptor(file) {
            let what = from == .bundle ? "bundle" : "file"
            context.console.say(
                "  the \(what) is no longer needed:  rm \(file.escapedForTerminal.shellQuoted)")
        }
    }

    private func json(
        _ account: Account, _ session: Session, isActive: Bool, _ context: CommandContext
    ) -> JSONValue {
        [
            "schema": "bskyauth.import/1",
            "account": AccountText.json(account, session, unclear: nil, isActive: isActive, now: context.now),
        ]
    }

    /// Refuses a client whose document lacks the key of the bundle. If the document can't be fetched, the import goes on: a job
    /// should not fail because its web host does.
    private func requirePublished(_ client: HostedClient, _ servers: ServerAccess) async throws {
        let network = try servers.environment(try servers.network())
        let document: PublishedDocument?
        do { document = try await ClientSite(network).document(of: client) } catch is any KnownError {
            document = nil
        }
        guard let document else {
            return servers.context.console.say(
                "the document of the client at \(client.clientID.description.escapedForTerminal) is not published, or can't be fetched now. So it "
                    + "is not known whether the key of this session is published")
        }
        for key in client.keys where !document.keys.contains(key.publicKey) {
            throw CoreError.clientKeyNotPublished(client.clientID, keyID: key.id)
        }
    }

    func read() throws -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try InputFile.read(file, limit: SealedBundle.limit)
        } catch let error {
            throw Failure.unreadable(
                file, error, what: from == .bundle ? "bundle" : "file", as: .failure,
                code: "bundle_unreadable",
                hint: InputFile.isDescriptor(file)
                    ? "bskyauth accounts import - < FILE" : "ls -l \(file.escapedForTerminal.shellQuoted)")
        }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        guard bytes.contains(where: { !Self.blanks.contains($0) }) else {
            throw Failure(
                .failure, "empty_file",
                "\(InputFile.name(of: file).escapedForTerminal) is empty, so nothing was imported; a secret that is not set, or that a job may "
                    + "not read, is empty too", hint: "bskyauth help accounts import")
        }
        if line.count >= Self.longestTypedLine, InputFile.isDescriptor(file), StandardStream.inputIsTerminal {
            throw Failure(
                .failure, "bundle_cut",
                "a terminal passes on \(Self.longestTypedLine) characters of a line at most, so the rest of the bundle is missing",
                hint: "bskyauth accounts import FILE")
        }
        return bytes
    }

    /// Spaces, tabs and line ends. A file that has nothing else counts as empty.
    private static let blanks: Set<UInt8> = [0x20, 0x09, 0x0a, 0x0d]
    /// The most characters of a line that a terminal passes on in canonical mode (termios(3)).
    private static let longestTypedLine = 4095
}

/// The format of the file that an account is imported from.
enum ImportSource: String, CaseIterable, ExpressibleByArgument {
    case bundle
    case oauthClientNode = "oauth-client-node"
}
