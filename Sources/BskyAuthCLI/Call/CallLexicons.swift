internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore
internal import FoundationEssentials

/// Finds the lexicons of a call that others publish. A call never fails because one is not known.
struct CallLexicons {
    private let context: CommandContext
    private let folder: () throws -> LexiconFolder?
    private let asks: Bool
    private let catalog: () throws -> LexiconCatalog?

    /// - Parameters:
    ///   - asks: whether publishers may be asked; else only the cache is read.
    ///   - folder: the lexicons that come before those of publishers. It is only read if a call needs one.
    ///   - catalog: is only made if a call needs it.
    init(
        _ context: CommandContext, asks: Bool, folder: @escaping () throws -> LexiconFolder?,
        catalog: @escaping () throws -> LexiconCatalog?
    ) {
        (self.context, self.folder, self.asks, self.catalog) = (context, folder, asks, catalog)
    }

    /// The lexicon of a method.
    func lexicon(ofMethod nsid: NSID) async throws -> KnownLexicons {
        let (lexicons, missing) = try await find([nsid], follows: false)
        if !missing.isEmpty {
            context.console.detail("the lexicon of \(nsid) is not known, so nothing of the call is checked")
        }
        return lexicons
    }

    /// The lexicons of collections, with those of what their records can hold.
    func lexicons(ofCollections collections: [NSID]) async throws -> KnownLexicons {
        let (lexicons, missing) = try await find(collections, follows: true)
        // With --json, standard error is for programs.
        let console = context.console
        guard asks, !console.usesJSON else { return lexicons }
        for collection in collections where missing.contains(collection) {
            console.say(
                "sent as it is typed: the lexicon of \(collection) is not known, so its record is not checked, and createdAt is not filled in"
            )
        }
        return lexicons
    }

    private func find(_ names: [NSID], follows: Bool) async throws -> (KnownLexicons, missing: [NSID]) {
        var (lexicons, others) = try inFolder(names, follows: follows)
        guard !others.isEmpty, let catalog = try catalog() else { return (KnownLexicons(lexicons), others) }
        defer { context.console.progress.clear() }
        let (found, missing) = await catalog.lexicons(others, asks: asks, follows: follows)
        try Task.checkCancellation()
        for lexicon in found {
            let isFresh = context.now.timeIntervalSince(lexicon.provenAt) <= 86400
            lexicons[lexicon.nsid] = KnownLexicons.Foreign(
                lexicon.document, lexicon.json, from: .publisher(isFresh: isFresh))
        }
        return (KnownLexicons(lexicons), missing)
    }

    /// The lexicons of the folder, with those that their types refer to if these are wanted too, and the names that it does not have.
    private func inFolder(
        _ names: [NSID], follows: Bool
    ) throws -> (lexicons: [NSID: KnownLexicons.Foreign], others: [NSID]) {
        guard let folder = try folder() else { return ([:], names) }
        var (lexicons, others, seen, open) = ([NSID: KnownLexicons.Foreign](), [NSID](), Set(names), names)
        while let nsid = open.popLast() {
            guard let lexicon = try folder.lexicon(nsid) else {
                if !PublicMethods.areComplete(for: nsid) { others.append(nsid) }
                continue
            }
            lexicons[nsid] = lexicon
            guard follows else { continue }
            open += KnownLexicons.references(of: lexicon.document).filter { seen.insert($0).inserted }
        }
        return (lexicons, others)
    }
}
