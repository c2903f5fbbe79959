package import ATProtoIdentity
package import ATProtoSessions
internal import ATProtoXRPC
internal import FoundationEssentials

/// The lexicons that their publishers have proven: from the cache, or from the network.
package struct LexiconCatalog: Sendable {
    /// A lexicon, and whether it can be more than shown.
    package struct Found: Sendable {
        package let lexicon: ProvenLexicon
        /// Whether it was proven now, or by a process with this vault.
        package let counts: Bool
        /// Why there is no newer one; nil if none was looked for, or if this one is new.
        package let failure: (any Error)?
    }

    private let network: NetworkEnvironment
    private let resolver: LexiconResolver
    private let cache: LexiconCache
    private let revisions: RevisionMemory

    /// - Parameter revisions: remembers the revisions of the publishers' repositories, to notice a server that goes back.
    package init(
        _ network: NetworkEnvironment, _ resolver: LexiconResolver, _ cache: LexiconCache,
        _ revisions: RevisionMemory
    ) {
        self.network = network
        self.resolver = resolver
        self.cache = cache
        self.revisions = revisions
    }

    /// The lexicon of a name, at most a day old if its publisher can be asked, and else at most 90 days.
    ///
    /// - Parameter limit: how long to wait for the publisher.
    /// - Throws: ``LexiconFailure``, or `CancellationError`.
    package func lexicon(_ nsid: NSID, within limit: Duration = longestWait) async throws -> Found {
        let now = network.wallClock.now
        let entry = cache.entry(of: nsid, at: now)
        if let entry, now.timeIntervalSince(entry.lexicon.provenAt) <= 86400 {
            return Found(lexicon: entry.lexicon, counts: entry.isSealed, failure: nil)
        }
        do {
            return Found(lexicon: try await resolved(nsid, within: limit), counts: true, failure: nil)
        } catch {
            try Task.checkCancellation()
            if (error as? LexiconFailure)?.isDefinite == true {
                cache.remove(nsid)
                throw error
            }
            guard let entry else { throw error }
            return Found(lexicon: entry.lexicon, counts: entry.isSealed, failure: error)
        }
    }

    /// The lexicon of a name as its publisher proves it now.
    ///
    /// - Parameter end: how long to wait.
    package func proven(_ nsid: NSID, until end: ContinuousClock.Instant) async throws -> ProvenLexicon {
        try await resolved(nsid, within: ContinuousClock.now.duration(to: end))
    }

    /// The lexicons of some names, and of all that their types refer to, as far as they are here or can be had in time. Those that
    /// the compiled edition decides about are left out.
    ///
    /// What is not here is asked for only once: an authority that could not be asked is not asked again for five minutes.
    ///
    /// - Parameters:
    ///   - asks: whether publishers may be asked; else only the cache is read.
    ///   - follows: whether the names that the types of a lexicon refer to are wanted too.
    /// - Returns: also the names of those that are not known.
    package func lexicons(
        _ names: [NSID], asks: Bool, follows: Bool
    ) async -> (found: [ProvenLexicon], missing: [NSID]) {
        let end = ContinuousClock.now + Self.longestWait
        var (found, missing, seen, open) = ([ProvenLexicon](), [NSID](), Set(names), names)
        var asked = 0
        while let nsid = open.first {
            open.removeFirst()
            var lexicon = kept(nsid)
            if lexicon == nil, asks, asked < Self.mostDocuments, !isQuiet(nsid) {
                asked += 1
                lexicon = await fetched(nsid, until: end)
            }
            guard let lexicon else {
                missing.append(nsid)
                continue
            }
            found.append(lexicon)
            guard follows else { continue }
            let references = KnownLexicons.references(of: lexicon.document)
                .filter { !PublicMethods.areComplete(for: $0) && seen.insert($0).inserted }
            open += references.sorted { "\($0)" < "\($1)" }
        }
        return (found, missing)
    }

    private func kept(_ nsid: NSID) -> ProvenLexicon? {
        if let entry = cache.entry(of: nsid, at: network.wallClock.now), entry.isSealed {
            return entry.lexicon
        }
        return nil
    }

    private func isQuiet(_ nsid: NSID) -> Bool {
        cache.isQuiet(nsid, at: network.wallClock.now)
    }

    private func fetched(_ nsid: NSID, until end: ContinuousClock.Instant) async -> ProvenLexicon? {
        let rest = ContinuousClock.now.duration(to: end)
        guard rest > .zero else { return nil }
        do { return try await resolved(nsid, within: rest) } catch {
            network.note("the lexicon \(nsid) is not known", error)
            let failure = error as? LexiconFailure
            // An authority that answers is asked about its other names, and one that others left no time is not to blame.
            let isAnswered = failure?.isAnswer == true
            let hadTime = rest >= Self.longestWait / 2
            if !Task.isCancelled, isAnswered || failure?.isLate != true || hadTime {
                cache.quiet(nsid, andItsAuthority: !isAnswered, since: network.wallClock.now)
            }
            return nil
        }
    }

    /// How long a command waits for all lexicons together.
    package static let longestWait = Duration.seconds(3)
    /// How many a call asks for.
    private static let mostDocuments = 8

    /// Asks the publisher, and keeps the answer.
    private func resolved(_ nsid: NSID, within limit: Duration) async throws -> ProvenLexicon {
        // The system's resolver can't be interrupted, so nothing waits for it here.
        let answers = AsyncThrowingStream<ProvenLexicon, any Error> { stream in
            let work = Task {
                do { stream.yield(try await answer(nsid)) } catch { stream.finish(throwing: error) }
            }
            let end = Task {
                try await Task.sleep(for: limit)
                stream.finish(throwing: LexiconFailure(nsid, .late))
            }
            stream.onTermination = { _ in
                work.cancel()
                end.cancel()
            }
        }
        for try await lexicon in answers {
            cache.store(lexicon)
            return lexicon
        }
        throw CancellationError()
    }

    private func answer(_ nsid: NSID) async throws -> ProvenLexicon {
        let (lexicon, signer, commit) = try await resolver.lexicon(nsid)
        switch revisions.note(commit, signedBy: signer) {
        case .newest, .notRemembered: return lexicon
        case .older(let known):
            throw LexiconFailure(nsid, publisher: lexicon.publisher, .older(than: known))
        case .contradiction: throw LexiconFailure(nsid, publisher: lexicon.publisher, .contradiction)
        }
    }
}

extension LexiconFailure {
    /// Whether the publisher told or proved something about this name alone.
    fileprivate var isAnswer: Bool {
        switch reason {
        case .absent, .tooLong, .invalid: true
        case .noPublisher, .publisher, .unproven, .older, .contradiction, .late: false
        }
    }

    fileprivate var isLate: Bool { if case .late = reason { true } else { false } }

    /// Whether it is known that the name has no lexicon, or that its publisher's server misleads.
    fileprivate var isDefinite: Bool {
        switch reason {
        case .noPublisher, .absent, .older, .contradiction, .invalid, .tooLong: true
        case .unproven(let error):
            switch error {
            case RecordVerificationError.notProven, RecordVerificationError.pastKey,
                RecordVerificationError.outlivedKey, RecordVerificationError.noKey:
                true
            default: false
            }
        case .publisher(let error): error.kind != .unavailable
        case .late: false
        }
    }
}
