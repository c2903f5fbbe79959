package import ATProtoIdentity
package import ATProtoSessions
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
    package func lexicon(_ nsid: NSID, within limit: Duration = .seconds(3)) async throws -> Found {
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

    /// Asks the publisher, and keeps the answer.
    private func resolved(_ nsid: NSID, within limit: Duration) async throws -> ProvenLexicon {
        // The system's resolver can't be interrupted, so nothing waits for it here.
        let answers = AsyncThrowingStream<ProvenLexicon, any Error> { stream in
            let work = Task {
                do { stream.yield(try await proven(nsid)) } catch { stream.finish(throwing: error) }
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

    private func proven(_ nsid: NSID) async throws -> ProvenLexicon {
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
