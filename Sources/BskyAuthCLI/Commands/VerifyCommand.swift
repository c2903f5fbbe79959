internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoIdentity
internal import ATProtoRecordProof
internal import ATProtoSessions
internal import ArgumentParser
internal import BskyAuthCore

struct VerifyCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Prove that an account's repository has a record, or check a whole repository.",
        discussion: """
            The proof is checked with the key that the account's DID names now: that a repository signed with this \
            key has the record at a revision. So a relay, a mirror or an app view can't make records up. It does not \
            prove that the person wrote the record, because the PDS holds the key. Nor does it prove that the \
            revision is the newest, when it was made, or that blobs are intact. No account and no vault is needed.

            The exit status is 0 only for a proven record. It is 6 if the absence of the record is proven, and 13 if \
            a proof was there and failed.

              bskyauth verify at://alice.example.com/app.bsky.actor.profile/self
              bskyauth verify https://bsky.app/profile/bsky.app/post/3l6oveex3ii2l \\
                --from https://public.api.bsky.app
              bskyauth verify alice.example.com --repo
              bskyauth verify backup.car
            """)

    @Argument(
        help:
            "The AT-URI of a record or its page on bsky.app; the CAR file of a repository, or - for standard input; with --repo, a handle or a DID.",
        completion: .file(extensions: ["car"]))
    var subject: String

    @Flag(help: "Fetch the whole repository of an account, and check all of it.")
    var repo = false

    @Option(
        help: ArgumentHelp(
            "Ask this server instead of the account's PDS, for example a mirror or an app view. If it gives no proofs, what it says is compared with the proof of the PDS.",
            valueName: "url"))
    var from: String?

    @Flag(help: "Succeed if the record is proven to be absent, and exit with 6 if it is there.")
    var expectAbsent = false

    @Flag(
        help:
            "Accept a key that the account had earlier. The directory of did:plc is believed about it; a did:web has no earlier keys."
    )
    var allowPastKeys = false

    @OptionGroup var part: GetOption

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws {
        let subject = try VerifySubject(subject, isAccount: repo)
        let server = try server()
        switch subject {
        case .record: break
        case .account, .file:
            guard !expectAbsent else { throw Failure.usage("--expect-absent is about one record") }
        }
        if case .file = subject, server != nil {
            throw Failure.usage("the repository comes from the file, so --from can't be used with it")
        }
        let network = try servers.environment(try servers.network(), usesShortcut: false)
        defer { context.console.progress.clear() }
        do {
            switch subject {
            case .record(let record): try await verify(record, at: server, network, context)
            case .account(let account): try await verify(account, at: server, network, context)
            case .file(let path): try await verify(file: path, network, context)
            }
        } catch {
            throw ErrorPresenter.verification(error, of: subject, isFromOther: server != nil)
        }
    }

    /// The server that `--from` names; nil without it.
    private func server() throws -> Origin? {
        guard let from else { return nil }
        guard let url = try? HTTPURL(validating: from), url.path == "/", url.query == nil else {
            throw Failure.usage("--from takes the URL of a server, for example https://pds.example.com")
        }
        return url.origin
    }

    private func verify(
        _ record: RecordReference, at server: Origin?, _ network: NetworkEnvironment,
        _ context: CommandContext
    ) async throws {
        let flow = VerifyRecordFlow(
            network, revisions: context.revisions(on: network.policy), allowsPastKeys: allowPastKeys)
        let progress = context.console.progress
        let result = try await flow.run(record, from: server) { progress.show($0) }
        let report = RecordReport(result)
        progress.clear()
        report.warnings.forEach(context.console.say)
        try write(report, to: context.console)
        if let failure = report.failure(expectsAbsence: expectAbsent) { throw failure }
        context.console.say(report.sentence)
    }

    private func verify(
        _ account: ATIdentifier, at server: Origin?, _ network: NetworkEnvironment,
        _ context: CommandContext
    ) async throws {
        let verifier = RecordVerifier(network, allowsPastKeys: allowPastKeys)
        let progress = context.console.progress
        progress.show("looking up \(account)")
        let document = try await verifier.document(of: account)
        let source = server ?? document.pds
        progress.show("asking \(source.host) for the repository")
        let file = try await RepositoryFile(
            try await verifier.repository(of: document.did, at: source), showing: progress)
        try await verify(verifier, file, of: document, from: source.description, network, context)
    }

    private func verify(
        file path: String, _ network: NetworkEnvironment, _ context: CommandContext
    ) async throws {
        let verifier = RecordVerifier(network, allowsPastKeys: allowPastKeys)
        try await verify(
            verifier, try RepositoryFile(path), of: nil, from: path, network, context)
    }

    private func verify(
        _ verifier: RecordVerifier, _ file: RepositoryFile, of document: DIDDocument?, from source: String,
        _ network: NetworkEnvironment, _ context: CommandContext
    ) async throws {
        let console = context.console
        let (proof, signer) = try await verifier.repository(file.open, of: document) { blocks in
            console.progress.show("\(blocks) blocks checked")
        }
        let report = RepositoryReport(
            proof, signer, from: source,
            context.revisions(on: network.policy).note(proof.commit))
        console.progress.clear()
        report.warnings.forEach(console.say)
        try write(report, to: console)
        console.say(report.sentence)
    }

    private func write(_ report: some VerificationReport, to console: Console) throws {
        if global.json || part.isGiven { return try part.write(report.json, to: console) }
        try console.write(report.table)
    }
}
