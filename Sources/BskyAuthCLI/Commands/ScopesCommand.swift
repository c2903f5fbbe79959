internal import ATPJSON
internal import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import ATProtoXRPC
internal import ArgumentParser
internal import BskyAuthCore
internal import HTTPTypes
internal import OAuthDPoP

struct ScopesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scopes",
        abstract: "Explain scopes: what they allow, and which ones a call needs.",
        discussion: """
            These commands ask no server. They use the lexicons that were published when this version was made.

              bskyauth scopes explain -a work
              bskyauth scopes explain 'repo:app.bsky.feed.post?action=create' 'blob:image/*'
              bskyauth scopes needed app.bsky.feed.getTimeline
            """,
        subcommands: [ScopesExplainCommand.self, ScopesNeededCommand.self, ScopesSetsCommand.self])
}

struct ScopesExplainCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show what scopes allow, in words; without scopes, what a session may do.")

    @Argument(help: "The scopes (default: those that the account's session was granted).")
    var scopes: [String] = []

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        guard scopes.isEmpty else {
            if global.account != nil { throw Failure.usage("give scopes or -a, not both") }
            let scope = Scope(scopes.joined(separator: " "))
            let remarks = try Self.remarks(scope)
            return Self.document(scope.values, requested: scope.values, remarks)
        }
        let accounts = try context.accounts()
        let account = try await context.select(in: accounts).account
        let session = try accounts.session(account.id)
        guard session.credential.oauth != nil else {
            throw Failure(
                .usage, "no_scopes",
                "the session of \(AccountText.name(account)) is one of an app password, which no scope limits",
                hint: "bskyauth accounts show \(AccountText.selector(account, in: accounts))")
        }
        let asked = session.requestedScope.map { Scope($0).values }
        let missing = ScopeText.missing(Permissions(session.scope.values).missing(of: asked ?? []))
        return Self.document(session.scope.values, requested: asked ?? session.scope.values, missing)
    }

    /// What is to be said of a scope that a login could ask for.
    private static func remarks(_ scope: Scope) throws -> [String] {
        do { return try ScopeOption.check(scope) } catch let refused as ScopeRefusal {
            var failure = refused.failure
            failure.hint = refused.nextScopes.map { next in
                "bskyauth scopes explain \(next.map(\.escapedForTerminal.shellQuoted).joined(separator: " "))"
            }
            throw failure
        }
    }

    private static func document(_ values: [String], requested: [String], _ remarks: [String]) -> Document {
        Document(
            {
                let words = PermissionWords(values)
                return [
                    "schema": "bskyauth.scopes-explain/1", "scopes": JSONValue(values),
                    "permissions": JSONValue(Permissions(requested: values).permissions.map(\.description)),
                    "may": JSONValue(words.actions.map { $0.text() }), "may_not": JSONValue(words.absent),
                    "warnings": JSONValue(words.warnings), "unknown": JSONValue(words.unknown),
                ]
            }(), text: .lines(PermissionText.explanation(values, requested: requested) + remarks))
    }
}

struct ScopesNeededCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "needed",
        abstract: "Show the smallest scope that a call needs, and the permission sets that have it.",
        discussion: """
            The first line is enough for the call. The sets after it have it too, and allow more.

              bskyauth scopes needed com.atproto.repo.createRecord collection=app.bsky.feed.post
              bskyauth scopes needed com.atproto.repo.uploadBlob --content-type image/jpeg
            """)

    @Argument(help: ArgumentHelp("The method.", valueName: "method"), completion: .method)
    var method: String

    @Argument(
        help: ArgumentHelp("Parameters and members, as for bskyauth call.", valueName: "item"),
        completion: .parameter)
    var items: [String] = []

    @Option(help: ArgumentHelp("The type of the file that the call uploads.", valueName: "type"))
    var contentType: String?

    @OptionGroup var services: ServiceOptions

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let request = try request()
        let needed = try needed(request)
        let scopes = needed.map(\.description)
        let sets = Self.sets(with: needed)
        return Document(
            [
                "schema": "bskyauth.scopes-needed/1", "method": .string(request.nsid.description),
                "scopes": JSONValue(scopes),
                "sets": .array(
                    sets.map { set in
                        [
                            "set": .string(set.entry.nsid.description),
                            "scope": .string(set.entry.scope(at: nil).description),
                            "also_allows": JSONValue(set.more.actions.map { $0.text() }),
                        ]
                    }),
            ], text: .lines(scopes.isEmpty ? [] : [scopes.joined(separator: " ")] + sets.map(Self.line))
        ) {
            if scopes.isEmpty { context.console.say("\(request.nsid) needs no scope but atproto") }
        }
    }

    private func request() throws -> XRPCRequest {
        var call = try CallCommand.parse([method])
        (call.items, call.services) = (items, services)
        var request = try call.request(owner: nil)
        if let contentType { request.headerFields[.contentType] = contentType }
        return request
    }

    private func needed(_ request: XRPCRequest) throws -> [PermissionScope] {
        let nsid = request.nsid
        if CallPermissions.needsNothing(nsid) { return [] }
        if nsid.description == "com.atproto.repo.uploadBlob", contentType == nil {
            throw Failure(
                .usage, "usage", "the scope depends on the type of the file",
                hint: "bskyauth scopes needed \(nsid) --content-type image/jpeg")
        }
        if let service = try services.directService() {
            let audience: ServiceAudience =
                services.audience.namesService ? .service(service) : .did(service.did)
            return [.needed(for: nsid, at: audience)]
        }
        if let needed = CallPermissions.needed(for: request) { return needed }
        let isWrite = nsid.isBelow("com.atproto.repo")
        throw Failure(
            .usage, "scope_unknown", "it is not known here which scope \(nsid) needs",
            hint: isWrite
                ? "bskyauth scopes needed \(nsid) collection=app.bsky.feed.post"
                : "bskyauth scopes needed \(nsid) --proxy DID#SERVICE")
    }

    private typealias Candidate = (
        entry: PermissionSets.Entry, more: PermissionWords, writes: Bool, size: Int
    )

    /// The known sets that permit the call. A set that permits a further write comes after those that don't.
    private static func sets(with needed: [PermissionScope]) -> [Candidate] {
        guard !needed.isEmpty else { return [] }
        let asked = Permissions(needed.map(\.description))
        return PermissionSets.all.compactMap { entry -> Candidate? in
            let set = Permissions(requested: [entry.scope(at: nil).description])
            guard needed.allSatisfy(set.cover) else { return nil }
            let more = set.beyond(asked).filter { !$0.hasPrefix("include:") }
            return (entry, PermissionWords(more), more.contains { $0.hasPrefix("repo:") }, more.count)
        }.sorted { ($0.writes ? 1 : 0, $0.size) < ($1.writes ? 1 : 0, $1.size) }
    }

    private static func line(_ set: Candidate) -> String {
        let more = PermissionText.lines(set.more, most: 2).joined(separator: "; ")
        let scope = set.entry.scope(at: nil).description
        return more.isEmpty ? scope : "\(scope)  also allows: \(more)"
    }
}

struct ScopesSetsCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "sets",
        abstract: "List the known permission sets, with what each one allows.")

    @OptionGroup var global: GlobalOptions

    var usesPager: Bool { true }

    func run(_ context: CommandContext) async throws -> Document {
        let entries = PermissionSets.all.map { entry in
            (entry: entry, scope: entry.scope(at: nil).description)
        }
        return Document(
            [
                "schema": "bskyauth.scopes-sets/1", "edition": .string(PublicMethods.edition),
                "sets": .array(
                    entries.map { entry, scope in
                        [
                            "set": .string(entry.nsid.description), "title": JSONValue(entry.title),
                            "scope": .string(scope),
                            "may": JSONValue(PermissionWords([scope]).actions.map { $0.text() }),
                        ]
                    }),
            ],
            text: .lines(
                entries.flatMap { entry, scope in
                    let title = entry.title.map { "  \"\($0.escapedForTerminal)\"" } ?? ""
                    return ["\(entry.nsid)\(title)"]
                        + PermissionText.lines(PermissionWords([scope])).map { "  \($0)" }
                })
        ) {
            context.console.say(
                "the sets of \(PublicMethods.edition); ask for one:  bskyauth login HANDLE --permission NAME")
        }
    }
}
