/// An account, a collection of it or a record in that, by an AT-URI (atproto.com/specs/at-uri-scheme) or by the address
/// of a page of bsky.app.
package struct RecordReference: Sendable, Hashable {
    /// The account.
    package let repo: ATIdentifier
    /// An NSID with its letters as they were written; nil for an account.
    package let collection: String?
    /// Nil for an account or a collection.
    package let key: String?

    /// Whether a text begins like an AT-URI or the address of a page of bsky.app.
    package static func isMeant(by text: String) -> Bool {
        text.hasPrefix(scheme) || text.hasPrefix(website)
    }

    package init(parsing text: String) throws(InvalidRecordReference) {
        if text.hasPrefix(Self.website) {
            try self.init(page: text.dropFirst(Self.website.count).prefix { $0 != "?" && $0 != "#" })
            return
        }
        guard text.hasPrefix(Self.scheme) else { throw InvalidRecordReference() }
        let parts = text.dropFirst(Self.scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        try self.init(parts, collection: parts.dropFirst().first.map(String.init))
    }

    /// `profile/alice.example.com`, alone or with the kind and the key of a record after it.
    private init(page path: Substring) throws(InvalidRecordReference) {
        var parts = path.split(separator: "/")
        guard parts.first == "profile" else { throw InvalidRecordReference() }
        parts.removeFirst()
        let collection = parts.count == 3 ? Self.collections[parts[1]] : nil
        guard parts.count == 1 || collection != nil else { throw InvalidRecordReference() }
        try self.init(parts, collection: collection)
    }

    /// - Parameter parts: the account, and what stands for the collection and the key.
    private init(_ parts: [Substring], collection: String?) throws(InvalidRecordReference) {
        guard (1...3).contains(parts.count), let repo = try? ATIdentifier(validating: parts[0]) else {
            throw InvalidRecordReference()
        }
        self.repo = repo
        self.collection = collection
        key = parts.count == 3 ? String(parts[2]) : nil
        guard collection.map({ NSID.isValid($0.utf8) }) != false,
            key.map({ RecordPath.isKey($0.utf8) }) != false
        else { throw InvalidRecordReference() }
    }

    /// The AT-URI.
    package var description: String {
        Self.scheme
            + [repo.description, collection, key].compactMap { $0 }.joined(separator: "/")
    }

    private static let scheme = "at://"
    private static let website = "https://bsky.app/"

    /// The collections of the records that have pages, by the word in the address.
    private static let collections: [Substring: String] = [
        "post": "app.bsky.feed.post", "feed": "app.bsky.feed.generator", "lists": "app.bsky.graph.list",
    ]
}

/// The text names no record, collection or account.
package struct InvalidRecordReference: Error, Sendable, Hashable {}
