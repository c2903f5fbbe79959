package import ATPNetworking

/// A server that has the key of a confidential client and makes assertions for programs elsewhere (proposal 0010 of
/// bluesky-social, in the form that bskyauth-server and Petrel have).
package struct AssertionBackend: Sendable, Hashable {
    /// The address of the server.
    package let origin: Origin
    /// The certificate that this machine presents to the server, and to no other; nil if it has none.
    package let certificate: ClientCertificate?

    package init(origin: Origin, certificate: ClientCertificate? = nil) {
        self.origin = origin
        self.certificate = certificate
    }

    /// Where assertions are asked for.
    var endpoint: HTTPURL { HTTPURL(origin: origin, path: "/oauth/client-assertion") }
}
