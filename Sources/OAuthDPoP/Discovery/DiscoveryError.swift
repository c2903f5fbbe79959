package import ATPJSON
package import ATPNetworking

/// Why a server's metadata could not be fetched or used. Holds facts for messages and no advice.
package struct DiscoveryError: Error, Sendable, Hashable {
    package enum Document: Sendable, Hashable {
        /// `/.well-known/oauth-protected-resource` (RFC 9728).
        case protectedResource
        /// `/.well-known/oauth-authorization-server` (RFC 8414).
        case authorizationServer
    }

    /// Why a document was not accepted, with the facts of the refusal.
    package enum Code: Sendable, Hashable {
        case transport(TransportError)
        case status(Int)
        /// A redirect, which is never followed (protocol:R18).
        case redirect
        /// The media type is not `application/json`.
        case mediaType
        /// The body is not JSON, or it is JSON but no object (nil).
        case malformed(JSONError?)
        /// A required field is missing.
        case missing(String)
        /// A field has a value that the client can't accept.
        case unacceptable(String)
        /// The document names another issuer (RFC 8414 §3.3, protocol:R20).
        case issuerMismatch(expected: String, found: String)
        /// The document names another resource (RFC 9728 §3.3, protocol:R18).
        case resourceMismatch(expected: String, found: String)
        /// The authorization server does not list this resource as protected (protocol:R22).
        case resourceNotProtected(String)
        case invalidIssuer(InvalidIssuer)
    }

    package let code: Code
    package let document: Document
    /// The URL of the document.
    package let url: String

    package init(_ code: Code, document: Document, url: String) {
        self.code = code
        self.document = document
        self.url = url
    }

    /// Whether the answer came from something that does not have the document: 404, 410, or a page.
    package var isAbsent: Bool {
        switch code {
        case .status(let status): status == 404 || status == 410
        case .mediaType: true
        default: false
        }
    }

    /// Whether the server has no resource metadata, as an authorization server that is not a PDS (protocol:R84).
    package var isAbsentProtectedResource: Bool { document == .protectedResource && code == .status(404) }
}
