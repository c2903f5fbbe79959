public import ATPNetworking

/// Shows a page to the person who logs in. In an app it is a browser tab, in a test it may be a program.
public protocol UserAgent: Sendable {
    /// Opens a page of the authorization server, and waits until the browser is sent to the redirect URI.
    ///
    /// - Parameters:
    ///   - page: the page to open. It works once and for a few minutes.
    ///   - redirectURI: where the browser is sent at the end.
    /// - Returns: the whole URL that the browser was sent to.
    /// - Throws: `CancellationError` if the person gives up, and any other error if the page can't be shown. Nothing is saved
    ///   then. The error's text appears in messages, so it must hold no secret.
    func authorize(_ page: HTTPURL, redirectURI: String) async throws -> String
}

extension UserAgent {
    /// The whole URL that the browser was sent to.
    package func redirect(from page: HTTPURL, to redirectURI: String) async throws(ATProtoFailure) -> String {
        do { return try await authorize(page, redirectURI: redirectURI) } catch {
            throw ATProtoFailure(userAgent: error)
        }
    }
}
