package import ATPJSON

/// The keys that signed the repository of a did:plc one after the other, by the audit log of its directory
/// (web.plc.directory/api/redoc, `GetPlcAuditLog`).
///
/// The log is believed: the signatures in it are not verified.
package struct PLCAuditLog: Sendable, Hashable {
    /// A key, and from when to when the DID had it.
    package struct SigningKey: Sendable, Hashable {
        /// The key as a multikey: the text after `did:key:`.
        package let multikey: String
        /// When the directory took the key, in RFC 3339.
        package let from: String
        /// When the directory took the next key, in RFC 3339; nil for the present key.
        package let until: String?
    }

    /// The keys, the oldest first.
    package let signingKeys: [SigningKey]

    /// Reads the log: operations in their order, some of which the owner has undone.
    ///
    /// - Returns: nil for what is no audit log of this DID.
    package init?(_ json: JSONValue, of did: DID) {
        guard let entries = json.array else { return nil }
        var keys: [(multikey: String?, from: String)] = []
        for entry in entries {
            guard entry["did"]?.string == did.description, let time = entry["createdAt"]?.string,
                let operation = entry["operation"], case .bool(let isUndone)? = entry["nullified"]
            else { return nil }
            guard !isUndone else { continue }
            let key = Self.multikey(operation)
            if keys.last?.multikey != key || keys.isEmpty { keys.append((key, time)) }
        }
        let ends = keys.dropFirst().map { Optional($0.from) } + [nil]
        signingKeys = zip(keys, ends).compactMap { key, end in
            key.multikey.map { SigningKey(multikey: $0, from: key.from, until: end) }
        }
    }

    /// The key of an operation; nil if it has none, as the end of a DID.
    private static func multikey(_ operation: JSONValue) -> String? {
        // The first operations of the directory have another form.
        let key = operation["verificationMethods"]?["atproto"] ?? operation["signingKey"]
        guard let text = key?.string, text.hasPrefix(prefix) else { return nil }
        return String(text.dropFirst(prefix.count))
    }

    private static let prefix = "did:key:"
}
