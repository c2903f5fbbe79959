package import ATPJSON
package import ATPNetworking

/// The metadata of a resource server, which names the issuer of its tokens (RFC 9728 §2, protocol:R18).
package struct ProtectedResourceMetadata: Sendable, Hashable {
    /// The origin of the server, as the document writes it.
    package let resource: String
    /// The only authorization server.
    package let issuer: Issuer
    /// The whole document.
    package let json: JSONValue

    /// Reads the document of `origin`.
    ///
    /// - Throws: ``DiscoveryError`` unless `resource` equals the origin as text and the document names exactly
    ///   one authorization server.
    package init(
        json: JSONValue, origin: Origin, profile: OAuthProfile, policy: NetworkPolicy
    ) throws(DiscoveryError) {
        func error(_ code: DiscoveryError.Code) -> DiscoveryError {
            DiscoveryError(code, document: .protectedResource, url: Self.url(of: origin).description)
        }
        guard json.object != nil else { throw error(.malformed(nil)) }
        guard let resource = json["resource"]?.string else { throw error(.missing("resource")) }
        guard resource == origin.description else {
            let found = UntrustedText.harmless(resource)
            throw error(.resourceMismatch(expected: origin.description, found: found))
        }
        guard let servers = json["authorization_servers"] else {
            throw error(.missing("authorization_servers"))
        }
        guard let servers = servers.strings, servers.count == 1 else {
            throw error(.unacceptable("authorization_servers"))
        }
        do {
            issuer = try Issuer(validating: servers[0], profile: profile, policy: policy)
        } catch let reason {
            throw error(.invalidIssuer(reason))
        }
        self.resource = resource
        self.json = json
    }

    static func url(of origin: Origin) -> HTTPURL {
        HTTPURL(origin: origin, path: "/.well-known/oauth-protected-resource")
    }
}
