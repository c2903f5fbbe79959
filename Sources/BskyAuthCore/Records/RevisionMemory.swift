internal import ATPCryptography
internal import ATPJSON
package import ATPNetworking
package import ATProtoRecordProof
package import ATProtoSessions

/// Remembers the highest revision of each repository that was verified here, to notice a server that goes back.
///
/// Two commands at once may leave the lower of their revisions.
package struct RevisionMemory: Sendable {
    /// What a verified commit is, next to those before.
    package enum Finding: Sendable, Hashable {
        /// No commit of the repository had a higher revision.
        case newest
        /// An earlier one had this higher revision.
        case older(than: String)
        /// An earlier one had the same revision and another tree: somebody was told something else.
        case contradiction
    }

    private let store: any CacheStore
    private let devNetwork: Origin?

    /// - Parameters:
    ///   - store: keeps the revisions. It is no cache: what is lost is not noticed.
    ///   - devNetwork: the network of the repositories; nil for the real one.
    package init(_ store: any CacheStore, devNetwork: Origin?) {
        self.store = store
        self.devNetwork = devNetwork
    }

    /// Compares a verified commit with what is remembered, and remembers it if it is the newest.
    package func note(_ commit: SignedCommit) -> Finding {
        let name = name(commit.did)
        if let bytes = store.read(name), let json = try? JSONParser.parse(bytes),
            let revision = json["revision"]?.string, let data = json["data"]?.string
        {
            // The texts of revisions have the order of their times.
            if revision > commit.revision { return .older(than: revision) }
            if revision == commit.revision {
                return data == commit.data.description ? .newest : .contradiction
            }
        }
        let json: JSONValue = [
            "did": .string(commit.did), "revision": .string(commit.revision),
            "data": .string(commit.data.description),
        ]
        store.write(name, Array(json.text.utf8))
        return .newest
    }

    private func name(_ did: String) -> String {
        let network = devNetwork.map(\.description) ?? ""
        let hash = SHA256.hash("\(network) \(did)".utf8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        return "revisions/\(hash.joined()).json"
    }
}
