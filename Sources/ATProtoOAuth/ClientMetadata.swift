package import ATPJSON
internal import ATPNetworking
public import OAuthDPoP

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The metadata document of a client, which it publishes at the URL that is its ID (atproto.com/specs/oauth, Client
/// Metadata; RFC 7591 §2).
public struct ClientMetadata: Sendable {
    /// How the client logs in.
    package enum Kind: Sendable {
        /// A public client: anyone can claim to be it. The browser redirects to an app or to this machine.
        case native(redirectURIs: [String])
        /// A website. The browser redirects to its pages. `keys` are the JWKs of a confidential client, each with its `kid`,
        /// and stay a list when the last one is removed; nil is a public client.
        case web(redirectURIs: [String], keys: [JSONValue]?)
    }

    private let clientID: ClientID
    private let name: String
    private let scope: Scope
    private let kind: Kind

    /// - Parameter scope: every permission that the client will request. Servers refuse others (protocol:S5).
    package init(clientID: ClientID, name: String, scope: Scope, kind: Kind) {
        self.clientID = clientID
        self.name = name
        self.scope = scope
        self.kind = kind
    }

    /// The document of a confidential client, such as a web application.
    ///
    /// - Parameters:
    ///   - clientID: the https URL at which the document will be.
    ///   - name: the name of the client for people. Servers may show it.
    ///   - redirectURIs: where the browser may be sent at the end of a login: https URLs, also of apps that claim them.
    ///   - scope: every permission that the client will request, separated by spaces. `atproto` is one of them.
    ///   - keys: the public keys of its `ClientKey`s. A key stays here until the sessions made with it have ended.
    /// - Throws: ``InvalidClientMetadata`` for what servers refuse.
    public static func confidential(
        clientID: String, name: String, redirectURIs: [String], scope: String, keys: [PublicJWK]
    ) throws(InvalidClientMetadata) -> ClientMetadata {
        guard !keys.isEmpty else { throw InvalidClientMetadata("a confidential client has a key") }
        return try ClientMetadata(
            clientID, name, redirectURIs, scope,
            .web(redirectURIs: redirectURIs, keys: keys.map(\.documentEntry)))
    }

    /// The document of a client without a key, such as an app. Its sessions end after 14 days at most.
    ///
    /// - Parameters:
    ///   - clientID: the https URL at which the document will be.
    ///   - name: the name of the client for people. Servers may show it.
    ///   - redirectURIs: where the browser may be sent at the end of a login. For a website: https URLs. For an app: https URLs
    ///     of the host of `clientID`, loopback addresses without a port, or URLs of a scheme that is this host with its labels
    ///     reversed, as `com.example.app:/callback`.
    ///   - scope: every permission that the client will request, separated by spaces. `atproto` is one of them.
    ///   - isWebsite: whether the client is a website, and not an app on the person's device (`application_type`).
    /// - Throws: ``InvalidClientMetadata`` for what servers refuse.
    public static func `public`(
        clientID: String, name: String, redirectURIs: [String], scope: String, isWebsite: Bool = false
    ) throws(InvalidClientMetadata) -> ClientMetadata {
        try ClientMetadata(
            clientID, name, redirectURIs, scope,
            isWebsite ? .web(redirectURIs: redirectURIs, keys: nil) : .native(redirectURIs: redirectURIs))
    }

    private init(
        _ clientID: String, _ name: String, _ redirectURIs: [String], _ scope: String, _ kind: Kind
    ) throws(InvalidClientMetadata) {
        let id: ClientID
        do { id = try HostedClientID.make(clientID) } catch {
            throw InvalidClientMetadata(
                "\(UntrustedText.harmless(clientID)) is no ID of a client: \(error.words)")
        }
        let scope = Scope(scope)
        guard scope.contains(Scope.atproto) else { throw InvalidClientMetadata("the scope lacks atproto") }
        guard !redirectURIs.isEmpty else { throw InvalidClientMetadata("there is no redirect URI") }
        for uri in redirectURIs where !kind.allows(redirectURI: uri, of: id) {
            throw InvalidClientMetadata(
                "servers refuse the redirect URI \(UntrustedText.harmless(uri)): \(kind.redirectForms)")
        }
        self.init(clientID: id, name: name, scope: scope, kind: kind)
    }

    /// The document as JSON text.
    public var text: String { json.text }

    /// The keys of a client as a JWK set (RFC 7517 §5), for a page of their own. The document has them too.
    public static func keySet(_ keys: [PublicJWK]) -> String {
        JSONValue.object(["keys": .array(keys.map(\.documentEntry))]).text
    }

    /// The document. `token_endpoint_auth_method` is included because its default is `client_secret_basic`
    /// (protocol:R24).
    package var json: JSONValue {
        var json: JSONObject = [
            "client_id": .string(clientID.description),
            "client_name": .string(name),
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "scope": .string(scope.description),
            "dpop_bound_access_tokens": true,
        ]
        switch kind {
        case .native(let redirectURIs):
            json["application_type"] = "native"
            json["redirect_uris"] = .array(redirectURIs.map { .string($0) })
            json["token_endpoint_auth_method"] = "none"
        case .web(let redirectURIs, let keys):
            json["application_type"] = "web"
            json["redirect_uris"] = .array(redirectURIs.map { .string($0) })
            guard let keys else {
                json["token_endpoint_auth_method"] = "none"
                break
            }
            json["token_endpoint_auth_method"] = "private_key_jwt"
            json["token_endpoint_auth_signing_alg"] = "ES256"
            // In the document and not behind `jwks_uri`, so that no two caches differ.
            json["jwks"] = ["keys": .array(keys)]
        }
        return .object(json)
    }
}

/// Why servers would refuse a client metadata document.
public struct InvalidClientMetadata: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason in plain English.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ClientMetadata.Kind {
    /// Whether servers allow the redirect (atproto.com/specs/oauth, Client Metadata: `redirect_uris`, `application_type`).
    fileprivate func allows(redirectURI text: String, of client: ClientID) -> Bool {
        // A redirect with a fragment is none (RFC 6749 §3.1.2).
        guard !text.contains("#"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let own = (try? HTTPURL(validating: client.description))?.origin.host
        else { return false }
        guard let url = try? HTTPURL(validating: text) else { return isNative && hasScheme(of: own, text) }
        if url.origin.scheme == .https {
            return isNative ? url.origin.host == own : !url.origin.isLoopback && url.origin.host.contains(".")
        }
        // Without a port, which stands for every port (protocol:L11).
        return isNative && (text.hasPrefix("http://127.0.0.1/") || text.hasPrefix("http://[::1]/"))
    }

    private var isNative: Bool { if case .native = self { true } else { false } }

    /// Whether the scheme is the host with its labels reversed. The path begins with one slash.
    private func hasScheme(of host: String, _ text: String) -> Bool {
        let scheme = host.split(separator: ".").reversed().joined(separator: ".")
        return text.hasPrefix("\(scheme):/") && !text.hasPrefix("\(scheme)://")
    }

    /// The redirect URIs that are allowed, for people.
    fileprivate var redirectForms: String {
        isNative
            ? "use https at the host of the client ID, http://127.0.0.1/ without a port, or its reversed host as a scheme"
            : "use https at a name with a dot"
    }
}

extension InvalidHostedClientID {
    fileprivate var words: String {
        switch self {
        case .notHTTPS: "it is no https URL"
        case .host: "its host is no name with a dot"
        case .path: "its path names no document"
        case .notCanonical: "it has a default port, upper case in the host, or the like"
        }
    }
}

extension InvalidClientMetadata: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
