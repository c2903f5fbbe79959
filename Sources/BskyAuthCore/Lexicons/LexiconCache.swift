internal import ATPCryptography
internal import ATPJSON
package import ATProtoIdentity
package import ATProtoSessions
package import FoundationEssentials

/// Keeps proven lexicons in files, one for each name, which may be deleted at any time.
///
/// Others may be able to write to the cache. So a lexicon counts only with the code of a vault's seal; without one, it may be shown.
package struct LexiconCache: Sendable {
    /// A lexicon of the cache.
    package struct Entry: Sendable, Hashable {
        package let lexicon: ProvenLexicon
        /// Whether the seal made its code, so that a process with this vault wrote it.
        package let isSealed: Bool
    }

    private let store: any CacheStore
    private let sources: String
    private let seal: (any CacheSeal)?

    /// - Parameters:
    ///   - sources: the network, and who is asked there about names. Entries of other sources are ignored.
    ///   - seal: nil if no vault is open.
    package init(_ store: any CacheStore, sources: String, seal: (any CacheSeal)?) {
        self.store = store
        self.sources = sources
        self.seal = seal
    }

    /// The lexicon that was kept under a name, at most 90 days ago.
    package func entry(of nsid: NSID, at now: Date) -> Entry? {
        guard let file = store.read(Self.place(nsid.description)),
            let json = try? JSONParser.parse(file), let text = json["lexicon"]?.string,
            let facts = try? JSONParser.parse(Array(text.utf8)), facts["sources"]?.string == sources,
            let lexicon = Self.lexicon(facts, nsid), Self.isAtMost(90 * 86400, lexicon.provenAt, now)
        else { return nil }
        let code = json["code"]?.string.flatMap { Base64URL.decode($0) }
        let isSealed = code.map { seal?.isAuthentic($0, ofCached: Array(text.utf8)) == true } ?? false
        return Entry(lexicon: lexicon, isSealed: isSealed)
    }

    /// Keeps a lexicon. What a process with the vault has kept stays, if this one has no vault.
    package func store(_ lexicon: ProvenLexicon) {
        guard mayReplace(lexicon.nsid) else { return }
        let facts: JSONValue = [
            "sources": .string(sources), "publisher": .string(lexicon.publisher.description),
            "cid": .string(lexicon.cid), "revision": .string(lexicon.revision),
            "proven_at": JSONValue(Int64(lexicon.provenAt.timeIntervalSince1970)),
            "document": .object(lexicon.json),
        ]
        let text = facts.text
        let code = seal.map { JSONValue.string(Base64URL.encode($0.code(ofCached: Array(text.utf8)))) }
        let file: JSONValue = ["lexicon": .string(text), "code": code ?? .null]
        store.write(Self.place(lexicon.nsid.description), Array(file.text.utf8))
    }

    package func remove(_ nsid: NSID) {
        if mayReplace(nsid) { store.remove(Self.place(nsid.description)) }
    }

    private func mayReplace(_ nsid: NSID) -> Bool {
        guard seal == nil, let file = store.read(Self.place(nsid.description)) else { return true }
        return (try? JSONParser.parse(file))?["code"]?.string == nil
    }

    // MARK: What could not be had

    /// Whether a lexicon, or all of its authority, could not be had in the last five minutes.
    package func isQuiet(_ nsid: NSID, at now: Date) -> Bool {
        [quietPlace(nsid.description), quietPlace("\(nsid.authority).*")].contains { place in
            guard let file = store.read(place),
                let since = (try? JSONParser.parse(file))?["quiet_since"]?.integer
            else { return false }
            return Self.isAtMost(300, Date(timeIntervalSince1970: Double(since)), now)
        }
    }

    /// Remembers that a lexicon could not be had.
    ///
    /// - Parameter andItsAuthority: whether the others of its authority can't be had either.
    package func quiet(_ nsid: NSID, andItsAuthority: Bool, since now: Date) {
        let file: JSONValue = ["quiet_since": JSONValue(Int64(now.timeIntervalSince1970))]
        // No name ends like this.
        let name = andItsAuthority ? "\(nsid.authority).*" : nsid.description
        store.write(quietPlace(name), Array(file.text.utf8))
    }

    private func quietPlace(_ name: String) -> String { Self.place("\(sources) \(name)") }

    private static func lexicon(_ facts: JSONValue, _ nsid: NSID) -> ProvenLexicon? {
        guard let document = facts["document"]?.object,
            let publisher = facts["publisher"]?.string.flatMap({ try? DID(validating: $0) }),
            let cid = facts["cid"]?.string, let revision = facts["revision"]?.string,
            let provenAt = facts["proven_at"]?.integer
        else { return nil }
        do {
            return try ProvenLexicon(
                document, of: nsid, publisher: publisher, cid: cid, revision: revision,
                provenAt: Date(timeIntervalSince1970: Double(provenAt)))
        } catch { return nil }
    }

    /// Whether a time is at most this many seconds ago, and not ahead.
    private static func isAtMost(_ seconds: Double, _ date: Date, _ now: Date) -> Bool {
        (0...seconds).contains(now.timeIntervalSince(date))
    }

    /// A name may be longer than that of a file.
    private static func place(_ key: String) -> String {
        "lexicons/\(Base64URL.encode(SHA256.hash(key.utf8))).json"
    }
}
