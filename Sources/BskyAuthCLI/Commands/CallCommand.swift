internal import ATProto
internal import ArgumentParser
internal import BskyAuthCore
internal import HTTPTypes
internal import Networking
internal import OAuth
internal import Platform

struct CallCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Make an authenticated XRPC call and print the answer.",
        discussion: """
            Items: name=value (a string: query of a query, body of a procedure), name:=json (typed), \
            name==value (always the query; repeat for arrays), Name:value (a header).

              bskyauth call app.bsky.actor.getProfile actor=bsky.app
              bskyauth call com.atproto.repo.createRecord collection=app.bsky.feed.post \\
                record:="$(cat post.json)"
              bskyauth call com.atproto.repo.uploadBlob --input photo.jpg
            """,
        aliases: ["xrpc"])

    enum Method: String, ExpressibleByArgument, CaseIterable {
        case query, procedure
    }

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The method, as app.bsky.feed.getTimeline.")
    var nsid: String

    @Argument(help: "Parameters, body members and headers.")
    var items: [String] = []

    @Option(name: [.customShort("X"), .long], help: "query or procedure, where the name misleads.")
    var method: Method?

    @Option(name: [.customShort("H"), .long], help: "A header, Name:value; repeatable.")
    var header: [String] = []

    @Option(help: "name=value for text you did not write: split at the first =, nothing interpreted.")
    var field: [String] = []

    @Option(help: "A file with the whole body; - for standard input.")
    var input: String?

    @Option(help: "The media type of --input.")
    var contentType: String?

    @Option(name: .shortAndLong, help: "Write the answer to a file.")
    var output: String?

    @Flag(name: .shortAndLong, help: "Print the status and the headers of the answer first.")
    var include = false

    @Option(help: "Send the call through the PDS to a service, as did:web:api.bsky.app#bsky_appview.")
    var proxy: String?

    @OptionGroup var handover: HandoverOptions

    func run(_ context: CommandContext) async throws(Failure) {
        let core = try context.core(.init(handover: try handover.make(context)))
        let selection = try ErrorPresenter.presenting { () throws(CoreError) in
            try core.accounts.select(context.accountChoice)
        }
        let account = selection.account
        context.console.detail(
            "account: \(AccountText.name(account)), chosen by \(selection.source.words)")
        let request = try request(repo: account.did)
        let response = try await ErrorPresenter.presenting { () async throws(CoreError) in
            try await CallFlow(core).send(request, as: account.id, lockTimeout: context.lockTimeout)
        }
        guard (200..<300).contains(response.status) else {
            throw await failure(response, account, core.accounts)
        }
        try await AnswerWriter(console: context.console, includesHead: include, file: output).write(response)
    }

    /// Reads the command line into a request.
    private func request(repo: DID) throws(Failure) -> XRPCRequest {
        let nsid: NSID
        do {
            nsid = try NSID(validating: self.nsid)
        } catch {
            throw .usage("\"\(self.nsid.shown)\" is no method name, as app.bsky.feed.getTimeline is")
        }
        let method: XRPCMethod =
            switch self.method {
            case .query: .query
            case .procedure: .procedure
            case nil: XRPCMethod(inferredFrom: nsid)
            }
        var fields = HTTPFields()
        var values: [XRPCInput.Item] = []
        for item in items { try CallItem(parsing: item).add(to: &values, &fields) }
        for text in field { try CallItem(field: text).add(to: &values, &fields) }
        for text in header {
            guard let colon = text.firstIndex(of: ":") else { throw .usage("-H takes Name:value") }
            try CallItem.header(
                name: String(text[..<colon]), value: String(text[text.index(after: colon)...])
            )
            .add(to: &values, &fields)
        }
        if let proxy {
            do {
                let service = try ServiceReference(validating: proxy)
                if let name = HTTPField.Name.atprotoProxy { fields[name] = service.description }
            } catch {
                throw .usage("--proxy takes DID#SERVICE, as did:web:api.bsky.app#bsky_appview")
            }
        }
        guard let input else {
            let named = try named(values, method, nsid, repo: repo)
            return XRPCRequest(method, nsid, input: named, headerFields: fields)
        }
        guard method == .procedure else {
            throw .usage("a query has no body; say -X procedure if \(nsid) is one")
        }
        // The body is given, so what is named is for the query string.
        return XRPCRequest(
            .procedure, nsid, parameters: try named(values, .query, nsid, repo: nil).parameters,
            body: .stream(try BodyInput(input)), contentType: contentType ?? BodyInput.mediaType(of: input),
            headerFields: fields)
    }

    private func named(
        _ values: [XRPCInput.Item], _ method: XRPCMethod, _ nsid: NSID, repo: DID?
    ) throws(Failure) -> XRPCInput {
        do throws(InvalidXRPCInput) {
            return try XRPCInput(values, for: method, nsid, repo: repo)
        } catch {
            switch error {
            case .repeated(let name): throw .usage("\"\(name.shown)\" is given twice")
            case .notAParameter(let name):
                throw .usage("\"\(name.shown)\" is a parameter of the query, and can't be an object or null")
            }
        }
    }

    /// A refusal in words, from the beginning of its body.
    private func failure(
        _ response: TransportResponse, _ account: AccountProfile, _ store: AccountStore
    ) async -> Failure {
        var body: [UInt8] = []
        do throws(TransportError) {
            body = try await response.body.collect(upTo: XRPCError.longestBody)
        } catch {
            // The status says enough when the rest does not arrive.
        }
        let error = XRPCError(status: response.status, headerFields: response.headerFields, body: body)
        let held = (try? store.session(account.id))?.scope.values ?? ["atproto"]
        return ErrorPresenter.failure(error, account: account, method: nsid, held: held)
    }
}
