/// A redirect that a browser followed to this server.
package struct RedirectRequest: Sendable, Hashable {
    /// The unchanged text after `?` in the request target; empty if there is none. It may hold a secret.
    package let query: String

    package init(query: String) {
        self.query = query
    }
}
