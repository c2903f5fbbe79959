package import JSON
package import Networking

/// Why a server's description of itself could not be had or used: facts for messages, no advice.
package struct DiscoveryError: Error, Sendable, Hashable {
    package enum Document: Sendable, Hashable {
        /// `/.well-known/oauth-protected-resource` (RFC 9728).
        case protectedResource
        /// `/.well-known/oauth-authorization-server` (RFC 8414).
        case authorizationServer
    }

    /// What was wrong.
    package enum Code: Sendable, Hashable {
        case transport(TransportError)
        case status(Int)
        /// A redirect, which is never followed (protocol:R18).
        case redirect
        /// Not `application/json`.
        case mediaType
        /// Not JSON, or JSON that is not an object (nil).
        case malformed(JSONError?)
        /// A field that has to be there.
        case missing(String)
        /// A field whose value rules the server out.
        case unacceptable(String)
        /// Not the issuer that was asked (RFC 8414 §3.3, protocol:R20).
        case issuerMismatch(expected: String, found: String)
        /// Not the resource that was asked (RFC 9728 §3.3, protocol:R18).
        case resourceMismatch(expected: String, found: String)
        /// An authorization server that says it does not protect this resource (protocol:R22).
        case resourceNotProtected(String)
        case invalidIssuer(InvalidIssuer)
    }

    package let code: Code
    package let document: Document
    /// Where the document is.
    package let url: String

    package init(_ code: Code, document: Document, url: String) {
        self.code = code
        self.document = document
        self.url = url
    }

    /// Whether a server said that it has no resource metadata, as authorization servers that are no PDS do
    /// (protocol:R84).
    package var isAbsentProtectedResource: Bool { document == .protectedResource && code == .status(404) }
}
