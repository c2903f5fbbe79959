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
        /// An earlier one had the same revision and another tree. So the server has shown two different repositories.
        case contradiction
        /// No commit is known to have had a higher revision, but what was remembered can't be read, or this one can't be remembered.
        case notRemembered
    }

    private let store: any CacheStore
    private let devNetwork: Origin?

    /// - Parameters:
    ///   - store: keeps the revisions. It must not drop any: after a loss, a server that goes back is not noticed.
    ///   - devNetwork: the network of the repositories; nil for the real one.
    package init(_ store: any CacheStore, devNetwork: Origin?) {
        self.store = store
        self.devNetwork = devNetwork
    }

    /// Compares a verified commit with what is remembered, and remembers it if it is the newest. What an earlier key signed is not
    /// remembered, because whoever has that key could make all later commits look old.
    package func note(_ commit: SignedCommit, signedBy signer: CommitSigner) -> Finding {
        let name = name(commit.did)
        let known = store.read(name)
        if let known = known.flatMap(Known.init) {
            // The texts of revisions have the order of their times.
            if known.revision > commit.revision { return .older(than: known.revision) }
            if known.revision == commit.revision {
                return known.data == commit.data.description ? .newest : .contradiction
            }
        }
        guard signer.past == nil else { return .newest }
        let json: JSONValue = [
            "did": .string(commit.did), "revision": .string(commit.revision),
            "data": .string(commit.data.description),
        ]
        let bytes = Array(json.text.utf8)
        store.write(name, bytes)
        let wasReadable = known == nil || known.flatMap(Known.init) != nil
        return wasReadable && store.read(name) == bytes ? .newest : .notRemembered
    }

    /// What was remembered of a repository.
    private struct Known {
        let revision: String
        let data: String

        init?(_ bytes: [UInt8]) {
            guard let json = try? JSONParser.parse(bytes), let revision = json["revision"]?.string,
                let data = json["data"]?.string
            else { return nil }
            self.revision = revision
            self.data = data
        }
    }

    private func name(_ did: String) -> String {
        let network = devNetwork.map(\.description) ?? ""
        return "revisions/\(Base64URL.encode(SHA256.hash("\(network) \(did)".utf8))).json"
    }
}
