package import ATProto
internal import Cryptography
internal import FoundationEssentials
internal import JSON
package import Networking

/// What was found about names, for the next process too: in files that may vanish at any time.
///
/// Each handle and each DID has one of 256 places, and what comes later takes the place of what was there: the
/// cache never grows beyond that, nothing has to be cleared out, and processes that write at once spoil nothing.
package struct StoredIdentityCache: IdentityCache {
    private let store: any CacheStore
    private let clock: any WallClock
    private let policy: NetworkPolicy
    private let sources: String

    /// - Parameters:
    ///   - policy: what a document that is read has to obey, as if it had been fetched.
    ///   - sources: the network and the servers that are asked, as text. What others have said is not looked
    ///     at: an answer of a test network is none on the real one.
    package init(store: any CacheStore, clock: any WallClock, policy: NetworkPolicy, sources: String) {
        self.store = store
        self.clock = clock
        self.policy = policy
        self.sources = sources
    }

    /// What is known and not too old; nothing where the clock has been put back since.
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

    /// Empties the place of an identifier.
    package func remove(_ identifier: ATIdentifier) {
        store.remove(place(of: identifier))
    }

    private func entry(in json: JSONValue, for identifier: ATIdentifier) -> IdentityCacheEntry? {
        if json == Self.absence { return .absent }
        switch identifier {
        case .handle: return json["did"]?.string.flatMap { try? DID(validating: $0) }.map { .did($0) }
        case .did(let did):
            guard let outline = json["document"] else { return nil }
            return (try? DIDDocument(json: outline, expecting: did, policy: policy)).map { .document($0) }
        }
    }

    private static func json(of entry: IdentityCacheEntry) -> JSONValue {
        switch entry {
        case .did(let did): ["did": .string(did.description)]
        case .document(let document): ["document": document.outline]
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
    /// Seconds after which nothing is believed, whatever a file says (protocol:R10).
    private static let longestLifetime: Int64 = 600
}
