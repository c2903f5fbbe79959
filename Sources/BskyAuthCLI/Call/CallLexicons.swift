internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore
internal import FoundationEssentials

/// Finds the lexicons of a call that others publish. A call never fails because one is not known.
struct CallLexicons {
    private let context: CommandContext
    private let asks: Bool
    private let catalog: () throws -> LexiconCatalog?

    /// - Parameters:
    ///   - asks: whether publishers may be asked; else only the cache is read.
    ///   - catalog: is only made if a call needs it.
    init(_ context: CommandContext, asks: Bool, catalog: @escaping () throws -> LexiconCatalog?) {
        (self.context, self.asks, self.catalog) = (context, asks, catalog)
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
        guard !console.usesJSON else { return lexicons }
        for collection in collections where missing.contains(collection) {
            console.say(
                "the lexicon of \(collection) is not known, so the record is neither completed nor checked")
        }
        return lexicons
    }

    private func find(_ names: [NSID], follows: Bool) async throws -> (KnownLexicons, missing: [NSID]) {
        guard let catalog = try catalog() else { return (.compiled, names) }
        defer { context.console.progress.clear() }
        let (found, missing) = await catalog.lexicons(names, asks: asks, follows: follows)
        try Task.checkCancellation()
        let proven = found.map { lexicon in
            let isFresh = context.now.timeIntervalSince(lexicon.provenAt) <= 86400
            return (lexicon.nsid, KnownLexicons.Proven(lexicon.document, lexicon.json, isFresh: isFresh))
        }
        return (KnownLexicons(Dictionary(proven) { first, _ in first }), missing)
    }
}
