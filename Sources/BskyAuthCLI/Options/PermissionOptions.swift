internal import ATProtoIdentity
internal import ATProtoLexicons
internal import ATProtoOAuth
internal import ATProtoSessions
internal import ATProtoXRPC
internal import ArgumentParser
internal import BskyAuthCore
internal import OAuthDPoP

/// Permission sets by name, in place of their scopes.
struct PermissionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A permission set to ask for, by its name or the last part of it, for example authCreatePosts. Repeatable. \
            bskyauth scopes sets lists the known ones.
            """, valueName: "set"), completion: .permissionSet)
    var permission: [String] = []

    @Option(
        name: .customLong("aud"),
        help: ArgumentHelp(
            "The service for the methods of the sets (default: the one of Bluesky for its own sets).",
            valueName: "did#service"))
    var audience: String?

    @Flag(
        help:
            "Ask for what the sets permit today, as far as it is known here, so that their authors can't change it."
    )
    var frozen = false

    @Flag(
        help:
            "Ask for the scope even if servers would grant nothing for a part of it, as far as bskyauth knows."
    )
    var noCheck = false

    /// The sets of others that are asked for, as their publishers prove them now.
    ///
    /// - Throws: why one is not proven, because its words could not be shown. Not with `--no-check`, and not if no publisher may be asked.
    func lexicons(_ context: CommandContext, _ servers: ServerAccess) async throws -> KnownLexicons {
        let others = Set(permission.compactMap { try? NSID(validating: $0) }).filter {
            !PublicMethods.areComplete(for: $0)
        }
        _ = try service
        guard !noCheck || frozen, !others.isEmpty, let catalog = try servers.lexicons(seal: nil) else {
            return .compiled
        }
        defer { context.console.progress.clear() }
        var sets: [NSID: KnownLexicons.Foreign] = [:]
        let end = ContinuousClock.now + LexiconCatalog.longestWait
        for nsid in others {
            let lexicon: ProvenLexicon
            do { lexicon = try await catalog.proven(nsid, until: end) } catch {
                var failure = ErrorPresenter.failure(for: error)
                failure.hint =
                    "see what is published:  bskyauth help \(nsid)"
                    + (frozen ? "" : "  (to ask for it without knowing what it permits, add --no-check)")
                throw failure
            }
            guard case .permissionSet? = lexicon.document.main else {
                throw Failure.usage("\(nsid) is no permission set")
            }
            sets[nsid] = KnownLexicons.Foreign(
                lexicon.document, lexicon.json, from: .publisher(isFresh: true))
        }
        return KnownLexicons(sets)
    }

    /// The values of the scope that the sets stand for.
    ///
    /// - Parameter lexicons: tell what the sets permit.
    func scopes(_ lexicons: KnownLexicons = .compiled) throws -> [String] {
        guard !permission.isEmpty else {
            if audience != nil { throw Failure.usage("--aud is for the sets of --permission") }
            if frozen { throw Failure.usage("--frozen is for the sets of --permission") }
            return []
        }
        let service = try service
        let values = try permission.flatMap { try self.values(of: $0, at: service, lexicons) }
        if let audience, !values.contains(where: { $0.contains("aud=") }) {
            throw Failure.usage(
                "these sets have no methods, so --aud \(audience.escapedForTerminal) has no meaning")
        }
        return values
    }

    /// The options that name the sets, for a command line that repeats them.
    var words: [String] {
        permission.flatMap { ["--permission", $0] } + (audience.map { ["--aud", $0] } ?? [])
            + (frozen ? ["--frozen"] : [])
    }

    /// The service of `--aud`; nil without it.
    private var service: ServiceReference? {
        get throws {
            guard let audience else { return nil }
            guard let service = try? ServiceReference(validating: audience) else {
                throw Failure.usage("--aud takes DID#SERVICE, for example did:web:api.bsky.app#bsky_appview")
            }
            return service
        }
    }

    /// The scope for the document of a client, which is checked as that of a login is.
    ///
    /// - Parameter scope: the values of `--scope`.
    func declared(_ scope: [String], _ console: Console) throws -> Scope {
        let declared = ScopeOption.make(try scope + scopes(), default: Scope.atproto)
        guard !noCheck else { return declared }
        do {
            for remark in try ScopeOption.check(declared) { console.say(remark) }
        } catch let refused as ScopeRefusal {
            var failure = refused.failure
            failure.hint =
                "correct it (bskyauth help scopes explain), or add --no-check to write it anyway"
            throw failure
        }
        return declared
    }

    private func values(
        of name: String, at service: ServiceReference?, _ lexicons: KnownLexicons
    ) throws -> [String] {
        if noCheck, let set = try? NSID(validating: name), PermissionSets.entry(set, lexicons) == nil, !frozen
        {
            return [PermissionScope.include(set, audience: service).description]
        }
        guard let entry = try PermissionText.set(named: name, lexicons) else {
            let set = try PermissionText.unknownSet(named: name)
            guard !frozen else {
                throw Failure.usage(
                    "the permissions of \(set) are not known here, so --frozen can't name them")
            }
            return [PermissionScope.include(set, audience: service).description]
        }
        let scope = entry.scope(at: service)
        guard frozen else { return [scope.description] }
        return Permissions(requested: [scope.description], lexicons).permissions.map(\.description)
    }
}
