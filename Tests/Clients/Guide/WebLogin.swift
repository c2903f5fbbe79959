import ATPNetworking
import ATProtoSessions
import Foundation

/// The login of a web application: the browser comes back with another request, maybe to another process.
struct WebLogin: Sendable {
    let client: ATProtoClient
    /// The archives of the logins that wait, by their IDs. All processes of the application share it.
    let waiting: any SecretStorage

    /// The first request.
    ///
    /// - Returns: the page for the browser, and the ID for its cookie.
    func begin(_ identifier: String) async throws -> (page: HTTPURL, id: String) {
        let pending = try await client.begin(identifier)
        let id = UUID().uuidString.lowercased()
        try await waiting.write(pending.archive, as: id)
        return (pending.url, id)
    }

    /// The second request, with the ID from the browser's cookie.
    ///
    /// - Returns: nil if no login waits for this browser.
    func complete(_ id: String, redirect: String) async throws -> Account? {
        guard let archive = try await waiting.text(id) else { return nil }
        do {
            let account = try await client.complete(PendingLogin(archive: archive), redirect: redirect)
            try await waiting.remove(id)
            return account
        } catch let failure as ATProtoFailure where failure.code == .foreignRedirect {
            // Somebody else sent this redirect. The right one may still come.
            throw failure
        } catch {
            try await waiting.remove(id)
            throw error
        }
    }
}
