import ATPNetworking
import ATProtoBackendClient
import ATProtoIdentity
import ATProtoSessions
import Foundation

/// The app itself: what it does when the person taps something, and when the system opens its redirect URI.
struct Phone {
    let client: BackendClient

    init(server: String, storage: some SecretStorage, transport: some HTTPTransport) throws {
        client = try BackendClient(
            at: server, redirectURI: "com.example.ios:/auth", storage: storage, transport: transport)
    }

    /// The person has typed a handle.
    ///
    /// - Returns: the page for the browser of the system.
    func open(_ handle: String) async throws -> HTTPURL {
        try await client.begin(handle)
    }

    /// The system has opened a URL of the app, maybe in a new process.
    ///
    /// - Returns: nil if it was not the redirect of the login, so that the app goes on waiting.
    func arrive(_ redirect: String) async throws -> BackendSession? {
        do {
            return try await client.complete(redirect: redirect)
        } catch {
            guard error.code == .foreignRedirect else { throw error }
            return nil
        }
    }

    struct Profile: Decodable, Sendable {
        let did: String
        let handle: String
    }

    /// Calls a method of the active account's server.
    func profile() async throws -> Profile {
        try await client.agent.query("com.atproto.server.getSession")
    }
}

extension Phone {
    private struct Post: Encodable {
        var type = "app.bsky.feed.post"
        let text: String
        let createdAt: Date

        enum CodingKeys: String, CodingKey {
            case type = "$type"
            case text, createdAt
        }
    }

    /// Writes a record to the active account's repository.
    ///
    /// - Returns: its AT-URI.
    func post(_ text: String) async throws -> String {
        try await client.agent.records.create("app.bsky.feed.post", Post(text: text, createdAt: Date())).uri
    }
}

/// What an app does after a failure.
enum NextStep {
    case showLogin, again, tell

    init(after failure: ATProtoFailure) {
        switch failure.code {
        case .sessionEnded, .unknownAccount: self = .showLogin
        case _ where failure.mayPass: self = .again
        default: self = .tell
        }
    }
}
