/// A browser that was sent here.
package struct RedirectRequest: Sendable, Hashable {
    /// What followed `?` in the request target, as it came; empty where nothing did. It may hold a secret.
    package let query: String

    /// A request with a query string.
    package init(query: String) {
        self.query = query
    }
}
