internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore

extension CallCommand {
    /// The request of the first page. A request that contradicts the options or the lexicons is refused.
    func first(of read: Read, _ context: CommandContext) throws -> XRPCRequest {
        let request = read.request
        try paging.check(request, includesHead: include)
        try part.check(output: outputFile, includesHead: include)
        try AnswerSink.check(file: outputFile)
        let first = XRPCPages(of: request, from: paging.start).next ?? request
        let check = check(first, read.lexicons)
        // Another key comes first: what to do instead of --retry names one too.
        let keyed = KeyedWrite(request, at: context.now, onlyKey: check.onlyKey)?.instruction(
            input: input, options: retries.words + keptOptions)
        if var refusal = check.refusal {
            if check.onlyKey != nil, let keyed { refusal.hint = keyed }
            throw refusal
        }
        _ = try retries.policy(for: request, instead: keyed)
        // With --json, standard error is for programs. If the server refuses the request, the error names the doubts.
        if !context.console.usesJSON {
            for doubt in check.doubts { context.console.say(dryRun ? doubt : "sent anyway: \(doubt)") }
        }
        return first
    }

    /// The options that decide which account's record is written and whether it is, what is filled in, and what is printed.
    private var keptOptions: [String] {
        let vault = global.vaultOptions
        let named = [("-a", global.account), ("-o", output)]
        let flags = [
            ("--no-defaults", noDefaults), ("--facets", facets), ("--no-check", noCheck),
            ("--dry-run", dryRun),
        ]
        return vault.home + vault.key + named.flatMap { name, value in value.map { [name, $0] } ?? [] }
            + flags.filter(\.1).map(\.0)
    }

    /// The file of `-o`; nil for standard output.
    private var outputFile: String? { output == "-" ? nil : output }

    /// What the lexicons say about a request, as far as the options let them.
    func check(_ request: XRPCRequest, _ lexicons: KnownLexicons) -> LexiconCheck {
        guard !noCheck else { return .none }
        // Without an account nothing is filled in, and nothing can be written.
        return LexiconCheck(
            request, lexicons, isPublic: host == nil && services.direct == nil, checksRecords: !anonymous)
    }

    /// The first request as `--dry-run` shows it.
    func outlined(_ read: Read, _ context: CommandContext) async throws -> XRPCRequest {
        let first = try first(of: read, context)
        return facets ? try await addingFacets(to: first, context) { nil } : first
    }

    /// Makes the call and prints the response.
    ///
    /// - Parameter network: the network, for what is looked up beside the call.
    func print(
        _ read: Read, from client: any XRPCClient, _ context: CommandContext,
        _ network: () throws -> NetworkEnvironment
    ) async throws {
        let request = read.request
        let base = try verifying(client, request, context, network)
        var first = try first(of: read, context)
        if facets { first = try await addingFacets(to: first, context) { try network() } }
        let isRead = paging.line != nil || part.isGiven
        let whole: any XRPCClient = isRead ? BufferingXRPCClient(base, longest: PagedCall.longestPage) : base
        let console = context.console
        let writer = AnswerWriter(
            request: first, console: console, includesHead: include, file: outputFile, part: part)
        let call = ExplainedCall(
            client: try retries.client(whole, for: request, context),
            check: { check($0, read.lexicons) },
            saidDoubts: !console.usesJSON && !console.isQuiet, writer: writer)
        if let line = paging.line {
            let pages = PagedCall(
                call: call, printer: PagePrinter(line: line, console: console, file: outputFile, part: part),
                mostPages: paging.limitPages)
            return try await pages.run(request, from: paging.start)
        }
        try await writer.write(try await ObservedBody.observing(first, on: console.progress, call.send))
    }
}
