package import ATPCryptography
package import ATPJSON
package import ATProtoOAuth
package import FoundationEssentials
package import OAuthDPoP

/// A client of the user's own: a metadata document and, for a confidential client, a page and keys (atproto OAuth:
/// clients).
package struct HostedClient: Sendable {
    package enum Kind: String, Sendable {
        /// Without a key. Sessions have the lifetime of public clients.
        case native
        /// With keys, and a page that hands the answer on to this machine.
        case web
    }

    package let id: UUID
    /// The user's name for it.
    package let name: String
    package let kind: Kind
    /// The URL of the directory with the document, with `/` at its end.
    package let base: String
    /// The name in the document. Consent pages of servers that don't know the client do not show it.
    package let displayName: String
    /// What logins ask for, and at most may ask for.
    package let scope: Scope
    /// Whether this vault writes the document. A vault that joined has only keys of its own.
    package let isPublished: Bool
    /// The keys, the oldest first.
    package var keys: [Key]
    /// Keys that were removed. They are never published again.
    package var removedKeyIDs: [String]
    /// Where the files of the site were written last; nil if they never were.
    package var directory: String?

    package init(
        id: UUID = UUID(), name: String, kind: Kind, base: String, displayName: String, scope: Scope,
        isPublished: Bool, keys: [Key] = [], removedKeyIDs: [String] = [], directory: String? = nil
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.base = base
        self.displayName = displayName
        self.scope = scope
        self.isPublished = isPublished
        self.keys = keys
        self.removedKeyIDs = removedKeyIDs
        self.directory = directory
    }

    /// One key of a client. Each place that logs in should have its own.
    package struct Key: Sendable {
        /// The user's name for the place, such as `desk`.
        package let label: String
        package let publicKey: PublicJWK
        /// nil if only another place has it.
        package var secret: ClientKey?
        package let addedAt: Date
        /// The last login with it in this vault.
        package var lastLogin: Date?
        /// When a session with this key was last exported.
        package var exportedAt: Date?

        package init(
            label: String, publicKey: PublicJWK, secret: ClientKey?, addedAt: Date, lastLogin: Date? = nil,
            exportedAt: Date? = nil
        ) {
            self.label = label
            self.publicKey = publicKey
            self.secret = secret
            self.addedAt = addedAt
            self.lastLogin = lastLogin
            self.exportedAt = exportedAt
        }

        /// The `kid`.
        package var id: String { publicKey.thumbprint }
    }

    package static let documentName = "oauth-client-metadata.json"
    package static let pageName = "callback.html"

    /// The client id: the URL of the document.
    package var clientID: ClientID { ClientID(base + Self.documentName) }

    /// The page that the browser is sent to after the consent.
    package var redirectURI: String { base + Self.pageName }

    /// The document. Removed keys are not in it, even if an import brought one back.
    ///
    /// - Parameter others: published entries of keys that this vault does not know. They stay as they are.
    package func metadata(keeping others: [JSONValue] = []) -> ClientMetadata {
        let own = keys.filter { !removedKeyIDs.contains($0.id) }.map(\.publicKey.documentEntry)
        let kind: ClientMetadata.Kind =
            switch kind {
            case .native: .native(redirectURIs: [LoopbackClientID.redirectURI(port: nil)])
            case .web: .web(redirectURIs: [redirectURI], keys: own + others)
            }
        return ClientMetadata(clientID: clientID, name: displayName, scope: scope, kind: kind)
    }

    /// The key for a login: the one with a label or key id; without a name the newest that is here.
    ///
    /// - Returns: nil if there is none, or if it is not here.
    package func key(named name: String?) -> ClientKey? {
        let mine = keys.filter { $0.secret != nil }
        guard let name else { return mine.last?.secret }
        return mine.last { $0.label == name || $0.id == name }?.secret
    }
}

/// Changes.
extension HostedClient {
    /// Takes a key with its private half. A key that is here already only gets what it lacks.
    mutating func take(_ key: Key) {
        guard let index = keys.firstIndex(where: { $0.id == key.id }) else {
            keys.append(key.labelled(besides: Set(keys.map(\.label))))
            return
        }
        if keys[index].secret == nil { keys[index].secret = key.secret }
        keys[index].lastLogin = key.lastLogin ?? keys[index].lastLogin
    }

    /// The same client under a name that is not taken.
    func renamed(besides taken: Set<String>) -> HostedClient {
        HostedClient(
            id: id, name: Self.free(name, besides: taken), kind: kind, base: base, displayName: displayName,
            scope: scope, isPublished: isPublished, keys: [])
    }

    fileprivate static func free(_ name: String, besides taken: Set<String>) -> String {
        guard taken.contains(name) else { return name }
        return (2...).lazy.map { "\(name)-\($0)" }.first { !taken.contains($0) } ?? name
    }
}

extension HostedClient.Key {
    fileprivate func labelled(besides taken: Set<String>) -> HostedClient.Key {
        HostedClient.Key(
            label: HostedClient.free(label, besides: taken), publicKey: publicKey, secret: secret,
            addedAt: addedAt, lastLogin: lastLogin, exportedAt: exportedAt)
    }
}

/// The client of a login.
package enum LoginClient: Sendable {
    /// The client that needs no registration.
    case loopback
    /// A hosted client without a key. The scope is that of its document, if the client is the user's own.
    case native(ClientID, scope: Scope? = nil)
    /// A confidential client of the user's own.
    case web(HostedClient, key: ClientKey)
    /// The confidential client of a backend, which makes the assertions. The code admits the new session; nil if something
    /// else does.
    case backend(AssertionBackend, code: SecretBytes?)
}
