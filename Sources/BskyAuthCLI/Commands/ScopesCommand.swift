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
              bskyauth scopes explain 'repo:app.bsky.feed.post?action=create'
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
            let values = try scopes.map {
                try PermissionText.set(named: $0, orScope: true)?.scope(at: nil).description ?? $0
            }
            let scope = Scope(values.joined(separator: " "))
            guard !scope.values.isEmpty else { throw Failure.usage("an empty text is no scope") }
            let remarks = try Self.remarks(scope)
            return Self.document(
                scope, PermissionWords(requested: scope.values),
                PermissionText.explanation(requested: scope.values) + remarks)
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
        let (granted, asked) = (session.scope.values, session.requestedScope.map { Scope($0).values } ?? [])
        return Self.document(
            session.scope, PermissionWords(granted: granted),
            PermissionText.explanation(granted: granted, requested: asked)
                + ScopeText.missing(Permissions(granted).missing(of: asked)))
    }

    /// What servers will not grant of a scope. What is not known here is said with the words.
    private static func remarks(_ scope: Scope) throws -> [String] {
        do { return try ScopeOption.losses(of: scope) } catch let refused as ScopeRefusal {
            var failure = refused.failure
            failure.hint =
                refused.nextScopes.map { next in
                    "bskyauth scopes explain \(next.map(\.escapedForTerminal.shellQuoted).joined(separator: " "))"
                } ?? "bskyauth help scopes"
            throw failure
        }
    }

    private static func document(_ scope: Scope, _ words: PermissionWords, _ lines: [String]) -> Document {
        var json: JSONObject = ["schema": "bskyauth.scopes-explain/1", "scopes": JSONValue(scope.values)]
        for member in PermissionText.json(words).members { json[member.name] = member.value }
        return Document(.object(json), text: .lines(lines))
    }
}

struct ScopesNeededCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "needed",
        abstract: "Show the smallest scope that a call needs, and the permission sets that have it.",
        discussion: """
            The first line is enough for the call. The sets after it have it too, and allow more.

              bskyauth scopes needed app.bsky.notification.listNotifications
              bskyauth scopes needed com.atproto.repo.uploadBlob --content-type image/png
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
        let doubts = LexiconCheck(request, checksRecords: false).doubts
        let needed = PermissionScope.merged(try needed(request))
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
            ], text: .lines(scopes + sets.map(Self.line))
        ) {
            for doubt in doubts { context.console.say(doubt) }
            if services.direct != nil, !services.audience.namesService {
                context.console.say(
                    "a token for --service names a DID alone, which only aud=* allows; --aud-with-service needs less"
                )
            }
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
        if let account = global.account {
            throw Failure.usage("-a \(account.escapedForTerminal) has no meaning here: no account is asked")
        }
        let nsid = request.nsid
        if let service = try services.directService() {
            let audience: ServiceAudience =
                services.audience.namesService ? .service(service) : .did(service.did)
            return [.needed(for: nsid, at: audience)]
        }
        let isForwarded = try services.service() != nil
        if !isForwarded, CallPermissions.needsNothing(nsid) { return [] }
        if !isForwarded, CallPermissions.isRefused(nsid) {
            throw Failure(
                .usage, "never_by_oauth", "servers let no OAuth session call \(nsid), whatever its scope",
                hint: "bskyauth help login")
        }
        if PublicRecord(nsid) != nil {
            throw Failure(
                .usage, "usage", "\(nsid) is a collection, and no method",
                hint: "bskyauth scopes needed com.atproto.repo.createRecord collection=\(nsid)")
        }
        let lacksType = nsid.description == "com.atproto.repo.uploadBlob" && contentType == nil
        if !lacksType, let needed = CallPermissions.needed(for: request) { return needed }
        throw Failure(
            .usage, "scope_unknown", "it is not known here which scope this call of \(nsid) needs",
            hint: Self.missing(nsid).map { "bskyauth scopes needed \(nsid) \($0)" } ?? "bskyauth help scopes")
    }

    /// What a call lacks that decides its scope; nil if that is not known.
    private static func missing(_ nsid: NSID) -> String? {
        switch nsid.description {
        case "com.atproto.repo.uploadBlob": "--content-type image/jpeg"
        case "com.atproto.repo.applyWrites":
            "'writes[0][$type]=com.atproto.repo.applyWrites#create' 'writes[0][collection]=app.bsky.feed.post'"
        case "com.atproto.server.getServiceAuth":
            "aud=did:web:api.bsky.app lxm=app.bsky.feed.getTimeline"
        case "app.bsky.notification.registerPush", "app.bsky.notification.unregisterPush":
            "serviceDid=did:web:api.bsky.app"
        default:
            if nsid.isBelow("com.atproto.repo") {
                "collection=app.bsky.feed.post"
            } else if nsid.isBelow("chat.bsky") {
                "--chat"
            } else if nsid.isBelow("com.atproto") {
                nil
            } else {
                "--proxy DID#SERVICE"
            }
        }
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
            return (
                entry, PermissionWords(requested: more), more.contains { $0.hasPrefix("repo:") }, more.count
            )
        }.sorted { ($0.writes ? 1 : 0, $0.size) < ($1.writes ? 1 : 0, $1.size) }
    }

    private static func line(_ set: Candidate) -> String {
        let more = PermissionText.lines(set.more, most: 2).joined(separator: "; ")
        let scope = set.entry.scope(at: nil).description
        return set.more.actions.isEmpty ? scope : "\(scope)  also allows: \(more)"
    }
}

struct ScopesSetsCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "sets",
        abstract: "List the known permission sets, with what each one allows.")

    @OptionGroup var global: GlobalOptions

    var usesPager: Bool { true }

    func run(_ context: CommandContext) async throws -> Document {
        if global.account != nil { throw Failure.usage("-a has no meaning here: no account is asked") }
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
                            "scopes": JSONValue(
                                Permissions(requested: [scope]).permissions.map(\.description)),
                            "may": JSONValue(PermissionWords(requested: [scope]).actions.map { $0.text() }),
                        ]
                    }),
            ],
            text: .lines(
                entries.flatMap { entry, scope in
                    let title = entry.title.map { "  \"\($0.escapedForTerminal)\"" } ?? ""
                    return ["\(entry.nsid)\(title)"]
                        + PermissionText.lines(PermissionWords(requested: [scope])).map { "  \($0)" }
                })
        ) {
            context.console.say(
                "the sets of \(PublicMethods.edition); ask for one:  bskyauth login HANDLE --permission NAME")
        }
    }
}
