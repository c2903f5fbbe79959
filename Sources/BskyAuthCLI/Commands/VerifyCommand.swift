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

            The exit status is 0 only for a proven record. It is 6 if the absence of the record is proven, 9 to 12 if \
            a server gave no proof, and 13 if what was shown could not be proven.

              bskyauth verify at://alice.example.com/app.bsky.actor.profile/self
              bskyauth verify https://bsky.app/profile/bsky.app/post/3l6oveex3ii2l \\
                --from https://public.api.bsky.app
              bskyauth verify alice.example.com --repo
              bskyauth verify backup.car
              bskyauth verify backup.car --list
              bskyauth verify bafkrei… --blob photo.jpg
            """)

    @Argument(
        help:
            "The AT-URI of a record or its page on bsky.app; the CAR file of a repository, or - for standard input; with --repo, a handle or a DID; with --blob, a CID.",
        completion: .file(extensions: ["car"]))
    var subject: String

    @Flag(help: "Fetch the whole repository of an account, and check all of it.")
    var repo = false

    @Flag(help: "Print each record of the repository on a line, its AT-URI and its CID, once all is proven.")
    var list = false

    @Option(
        help: ArgumentHelp(
            "Check that this file is the blob with the CID; - reads standard input. Nothing is sent.",
            valueName: "file"),
        completion: .file())
    var blob: String?

    @Option(
        help: ArgumentHelp(
            "Ask this server instead of the account's PDS, for example a mirror or an app view. If it gives no proofs, what it says is compared with the proof of the PDS.",
            valueName: "url"))
    var from: String?

    @Option(
        help: ArgumentHelp(
            "The account whose repository the file has to be: a handle or a DID. Without it, the account that the file names.",
            valueName: "account"))
    var of: String?

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
        if let blob { return try verify(blob: blob, context.console) }
        let subject = try VerifySubject(subject, isAccount: repo)
        let server = try server()
        let owner = try owner()
        try check(subject)
        let network = try servers.environment(try servers.network(), usesShortcut: false)
        let flows = Flows(
            network: network, revisions: context.revisions(on: network.policy), console: context.console)
        defer { context.console.progress.clear() }
        do {
            switch subject {
            case .record(let record): try await verify(record, at: server, flows)
            case .account(let account): try await verify(account, at: server, flows)
            case .file(let path): try await verify(file: path, of: owner, flows)
            }
        } catch {
            throw ErrorPresenter.verification(
                error, of: subject, line(subject), isFromOther: server != nil, isVerbose: global.verbose,
                owner: owner)
        }
    }

    /// What the flows need.
    private struct Flows {
        let network: NetworkEnvironment
        let revisions: RevisionMemory
        let console: Console
        var progress: ProgressLine { console.progress }
    }

    /// Refuses options that say nothing about the subject.
    private func check(_ subject: VerifySubject) throws {
        let isRecord = if case .record = subject { true } else { false }
        let isFile = if case .file = subject { true } else { false }
        guard !isRecord || !list else {
            throw Failure.usage("--list is for a whole repository: a CAR file, or an account with --repo")
        }
        guard !list || !part.isGiven else { throw Failure.usage("use --list or --get, not both") }
        guard isRecord || !expectAbsent else { throw Failure.usage("--expect-absent is about one record") }
        guard isFile || of == nil else { throw Failure.usage("--of says whose repository a file is") }
        guard !isFile || from == nil else {
            throw Failure.usage("the repository comes from the file, so --from can't be used with it")
        }
    }

    /// The server that `--from` names; nil without it.
    private func server() throws -> Origin? {
        guard let from else { return nil }
        guard let server = Origin(server: from) else {
            throw Failure.usage("--from takes the URL of a server, for example https://pds.example.com")
        }
        return server
    }

    /// The account that `--of` names; nil without it.
    private func owner() throws -> ATIdentifier? {
        guard let of else { return nil }
        guard let account = VerifySubject.account(of) else {
            throw Failure.usage("--of takes a handle or a DID, not \"\(of.escapedForTerminal)\"")
        }
        return account
    }

    /// The command line without `--from`. What it expects and allows stays.
    private func line(_ subject: VerifySubject) -> String {
        "bskyauth verify \(subject.arguments)" + (expectAbsent ? " --expect-absent" : "")
            + (allowPastKeys ? " --allow-past-keys" : "")
    }

    private func verify(_ record: RecordReference, at server: Origin?, _ flows: Flows) async throws {
        let flow = VerifyRecordFlow(
            flows.network, revisions: flows.revisions, allowsPastKeys: allowPastKeys)
        let result = try await flow.run(record, from: server) { flows.progress.show($0) }
        let report = RecordReport(result)
        // With --get, the caller uses a part of the JSON. So a record that has no JSON is a failure.
        let failure = report.failure(expectsAbsence: expectAbsent) ?? (part.isGiven ? report.invalidity : nil)
        try write(report, failure, to: flows.console)
    }

    private func verify(_ account: ATIdentifier, at server: Origin?, _ flows: Flows) async throws {
        let verifier = RecordVerifier(flows.network, allowsPastKeys: allowPastKeys)
        flows.progress.show("looking up \(account)")
        let document = try await verifier.document(of: account)
        let source = server ?? document.pds
        flows.progress.show("asking \(source.host) for the repository")
        let file = try await RepositoryFile(
            try await verifier.repository(of: document.did, at: source), showing: flows.progress)
        guard try !file.isEmpty else { throw RecordVerificationError.empty(source) }
        try await verify(verifier, file, of: document, from: source.description, flows)
    }

    private func verify(file path: String, of owner: ATIdentifier?, _ flows: Flows) async throws {
        let verifier = RecordVerifier(flows.network, allowsPastKeys: allowPastKeys)
        if InputFile.isStandardInput(path), StandardStream.inputIsTerminal {
            flows.console.say("reading a CAR file from standard input")
        }
        let file = try RepositoryFile(path)
        guard try !file.isEmpty else {
            let name = InputFile.name(of: path).escapedForTerminal
            throw Failure(.failure, "empty_file", "\(name) is empty", hint: "bskyauth help verify")
        }
        var document: DIDDocument?
        if let owner { document = try await verifier.document(of: owner) }
        try await verify(verifier, file, of: document, from: path, flows)
    }

    private func verify(
        _ verifier: RecordVerifier, _ file: RepositoryFile, of document: DIDDocument?, from source: String,
        _ flows: Flows
    ) async throws {
        var lines = RecordLines(console: flows.console, usesJSON: global.json)
        let (proof, signer) = try await verifier.repository(
            file.open, of: document, list: list ? { try lines.append($0) } : nil
        ) { blocks in
            flows.progress.show("\(blocks) blocks checked")
        }
        let report = RepositoryReport(
            proof, signer, from: source, flows.revisions.note(proof.commit, signedBy: signer))
        if list {
            try lines.finish()
            report.warnings.forEach(flows.console.insist)
            return flows.console.say(report.sentence)
        }
        try write(report, nil, to: flows.console)
    }

    /// Prints what is proven. Parts of it are printed only if it is what was expected.
    func write(
        _ report: some VerificationReport, _ failure: Failure?, to console: Console
    ) throws {
        console.progress.clear()
        // Also with --quiet: these are reasons not to rely on the result.
        report.warnings.forEach(console.insist)
        if part.isGiven {
            if failure == nil { try part.write(report.json, to: console) }
        } else if global.json {
            try console.write(report.json)
        } else {
            try console.write(report.table)
        }
        if let failure { throw failure }
        console.say(report.sentence)
    }
}
