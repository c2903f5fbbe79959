internal import ATPCryptography
internal import ATPJSON
package import ATPNetworking
package import ATProtoIdentity
package import ATProtoSessions
internal import FoundationEssentials

/// A cache of identities in files, shared by all processes. The files may be deleted at any time.
///
/// A handle or DID belongs to one of 256 files, and a later entry replaces the earlier one. So the cache stays small
/// and needs no clean-up, and processes can write at the same time.
package struct StoredIdentityCache: IdentityCache {
    private let store: any CacheStore
    private let clock: any WallClock
    private let policy: NetworkPolicy
    private let sources: String

    /// - Parameters:
    ///   - policy: the network policy that a cached document must satisfy, like a fetched one.
    ///   - sources: the network and the resolvers, as text. Entries from other sources are ignored, so an answer from a
    ///     test network is never used on the real network.
    package init(store: any CacheStore, clock: any WallClock, policy: NetworkPolicy, sources: String) {
        self.store = store
        self.clock = clock
        self.policy = policy
        self.sources = sources
    }

    /// The entry, if it is not too old; nil if the clock was set back since.
    package func entry(for identifier: ATIdentifier) -> IdentityCacheEntry? {
        guard let bytes = store.read(place(of: identifier)), let json = try? JSONParser.parse(bytes),
            json["sources"]?.string == sources, json["identifier"]?.string == identifier.description,
            let storedAt = json["stored_at"]?.integer, let lifetime = json["lifetime"]?.integer
        else { return nil }
        let age = clock.now.timeIntervalSince(Date(timeIntervalSince1970: Double(storedAt)))
        guard age >= 0, age < Double(min(lifetime, Self.longestLifetime)) else { return nil }
        return json["entry"].flatMap { entry(in: $0, for: identifier) }
    }

    /// Keeps an entry for `lifetime` of whole seconds by the machine's clock.
    package func store(_ entry: IdentityCacheEntry, for identifier: ATIdentifier, lifetime: Duration) {
        let json: JSONValue = [
            "sources": .string(sources), "identifier": .string(identifier.description),
            "stored_at": JSONValue(Int64(clock.now.timeIntervalSince1970)),
            "lifetime": JSONValue(lifetime.components.seconds), "entry": Self.json(of: entry),
        ]
        store.write(place(of: identifier), Array(json.text.utf8))
    }

    /// Removes the entry of an identifier.
    package func remove(_ identifier: ATIdentifier) {
        store.remove(place(of: identifier))
    }

    private func entry(in json: JSONValue, for identifier: ATIdentifier) -> IdentityCacheEntry? {
        if json == Self.absence { return .absent }
        switch identifier {
        case .handle: return json["did"]?.string.flatMap { try? DID(validating: $0) }.map { .did($0) }
        case .did(let did):
            guard let document = json["document"] else { return nil }
            return (try? DIDDocument(json: document, expecting: did, policy: policy)).map { .document($0) }
        }
    }

    private static func json(of entry: IdentityCacheEntry) -> JSONValue {
        switch entry {
        case .did(let did): ["did": .string(did.description)]
        case .document(let document): ["document": document.json]
        case .absent: absence
        }
    }

    private func place(of identifier: ATIdentifier) -> String {
        let kind =
            switch identifier {
            case .handle: "handle"
            case .did: "did"
            }
        let number = SHA256.hash("\(sources) \(identifier)".utf8)[0]
        return "identities/\(kind)-\(number).json"
    }

    private static let absence: JSONValue = "absent"
    /// The longest lifetime in seconds, even if a file says more (protocol:R10).
    private static let longestLifetime: Int64 = 600
}
