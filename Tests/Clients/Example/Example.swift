import ATPNetworking
import ATProtoCurl
import ATProtoDNS
import ATProtoIdentity
import ATProtoSessions
import Foundation

/// Posts a line as an account: `bskyauth-example HANDLE [CERTIFICATES]`.
@main struct Example {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let transport = CurlTransport(
            policy: NetworkPolicy(), userAgent: "bskyauth-example", certificates: words.dropFirst().first)
        let client = ATProtoClient(
            as: .loopback(redirectURI: "http://127.0.0.1/callback"), store: StoredSessions(MemoryStorage()),
            transport: transport,
            identities: NetworkIdentities(transport: transport, textRecords: SystemTextRecords()))
        let account = try await client.login(words.first ?? "", with: Paste())
        let post = Post(text: "Hello from Swift", createdAt: Date())
        let made = try await client.agent(for: account.id).records.create("app.bsky.feed.post", post)
        print("posted \(made.uri)")
        try await client.logOut(account.id)
    }
}

struct Paste: UserAgent {
    func authorize(_ page: HTTPURL, redirectURI: String) async throws -> String {
        print("Open this page:\n\(page)\nThen paste the address of the page that can't be opened:")
        return readLine() ?? ""
    }
}

struct Post: Codable, Sendable {
    var type = "app.bsky.feed.post"
    let text: String
    let createdAt: Date

    enum CodingKeys: String, CodingKey {
        case type = "$type"
        case text, createdAt
    }
}
