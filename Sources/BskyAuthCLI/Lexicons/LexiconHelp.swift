internal import ATPJSON
internal import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoLexicons
internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore

/// What `bskyauth help NSID` shows of a lexicon.
struct LexiconHelp {
    private let context: CommandContext
    private let type: String?

    /// - Parameter type: the type of the lexicon to show; nil for what the lexicon is about.
    init(_ context: CommandContext, type: String?) {
        self.context = context
        self.type = type
    }

    /// That a lexicon of others is not known where no publisher may be asked.
    static func notAsked(_ nsid: NSID) -> Failure {
        Failure(
            .usage, "unknown_lexicon",
            "the lexicon of \(nsid) is not known here, and no publisher is asked: BSKYAUTH_LEXICONS is off, or a test network has no "
                + "BSKYAUTH_DNS_SERVER", hint: "bskyauth help environment")
    }

    /// Who says what the compiled edition has.
    static let edition = " in the lexicons of \(PublicMethods.edition)"

    /// Stands for the service of a set whose service is not known here.
    private static let someService = ServiceReference.example

    /// The help of a name of the compiled edition; nil if the edition does not have it.
    static func compiled(_ nsid: NSID) -> String? {
        let (source, types) = (edition, PublicType.all(of: nsid))
        let service = PermissionScope.usualService(of: nsid) ?? someService
        return PublicMethods.method(nsid)?.help(from: source) ?? PublicRecord(nsid)?.help(from: source)
            ?? PermissionSets.entry(nsid)?.help(
                from: source, SetExpansion(nsid, audience: service)?.permissions ?? [], at: service)
            ?? (types.isEmpty ? nil : PublicType.help(types, of: nsid.description, from: source))
    }

    /// Shows a lexicon that its publisher proves. One that can't be proven now may still be in the compiled edition.
    func show(_ nsid: NSID, from lexicons: LexiconCatalog) async throws {
        defer { context.console.progress.clear() }
        let found: LexiconCatalog.Found
        do { found = try await lexicons.lexicon(nsid) } catch {
            guard type == nil, let text = Self.compiled(nsid) else { throw error }
            context.console.say(ErrorPresenter.failure(for: error).message)
            return try context.console.write(line: text)
        }
        if let failure = found.failure {
            context.console.say("there may be a newer one: \(ErrorPresenter.failure(for: failure).message)")
        }
        let lexicon = found.lexicon
        let time = TimeText.rfc3339(lexicon.provenAt)
        // Others may be able to write to the cache.
        let source =
            " that \(lexicon.publisher) publishes, "
            + (found.counts ? "proven \(time)" : "from the cache of this machine of \(time)")
        let foreign = KnownLexicons.Foreign(
            lexicon.document, lexicon.json, from: .publisher(isFresh: true))
        try context.console.write(line: try text(foreign, source))
    }

    /// Shows a lexicon of a folder.
    func show(_ lexicon: KnownLexicons.Foreign, from folder: String) throws {
        try context.console.write(line: try text(lexicon, " of \(folder.escapedForTerminal)"))
    }

    /// - Parameter source: who says so, after a blank.
    private func text(_ lexicon: KnownLexicons.Foreign, _ source: String) throws -> String {
        let nsid = lexicon.document.nsid
        if let type {
            let types = PublicType.all(in: lexicon.document, lexicon.json)
            guard let found = types.first(where: { $0.name == "\(nsid)#\(type)" }) else {
                throw Failure.usage("\(nsid) defines no type \"\(type.escapedForTerminal)\"")
            }
            return PublicType.help([found], of: found.name, from: source)
        }
        let main = lexicon.json["defs"]?[LexiconDocument.main]?.object
        switch lexicon.document.main {
        case .method?:
            let method = main.flatMap { PublicMethod($0, named: nsid) }
            return method?.help(from: source) ?? "\(nsid) is a subscription\(source). It can't be called."
        case .record(let record)?:
            return PublicRecord(nsid, record).help(from: source, KnownLexicons([nsid: lexicon]))
        case .permissionSet(let set)?:
            let service = PermissionScope.usualService(of: nsid) ?? Self.someService
            let permissions = SetExpansion(set.permissions, of: nsid, audience: service).permissions
            return PermissionSets.entry(nsid, set).help(from: source, permissions, at: service)
        case .type?, nil:
            let types = PublicType.all(in: lexicon.document, lexicon.json)
            return PublicType.help(types, of: nsid.description, from: source)
        }
    }
}

extension PermissionSets.Entry {
    /// What `bskyauth help NSID` shows.
    ///
    /// - Parameters:
    ///   - source: who says so, after a blank.
    ///   - permissions: those of the set at the service.
    fileprivate func help(
        from source: String, _ permissions: [PermissionScope], at service: ServiceReference
    ) -> String {
        let scope = scope(at: service).description
        let words = PermissionWords(requested: permissions.map(\.description))
        let option =
            PublicMethods.areComplete(for: nsid)
            ? nsid.name : "\(nsid)" + (needsAudience ? " --aud \(service.description.shellQuoted)" : "")
        return [
            "\(nsid) is a permission set\(source)."
                + (title.map { " Its author calls it \"\($0.escapedForTerminal)\"." } ?? ""),
            "A SESSION MAY:\n"
                + PermissionText.lines(words, most: .max).map { "  \($0)" }.joined(separator: "\n"),
            "SCOPE: \(scope)", "EXAMPLE:\n  bskyauth login alice.example.com --permission \(option)",
        ].joined(separator: "\n\n")
    }
}
