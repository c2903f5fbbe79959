import ATPNetworking
import ATProtoSessions
import JSON

/// A user agent of the app's own: it writes the page's URL, and reads the URL that the browser was sent to.
package struct Person: UserAgent {
    struct Gone: Error {}

    package init() {}

    package func authorize(_ page: HTTPURL, redirectURI: String) async throws -> String {
        try write(line: ["page": page.description, "redirect_uri": redirectURI])
        guard let redirect = readLine() else { throw Gone() }
        return redirect
    }
}
