import Foundation
import HTTPTypes
import Hummingbird
import Testing

@testable import BskyAuthServer

@Suite struct OpenAPITests {
    /// What the document leaves out: the pages, the calls that are passed on, and the assertions, which have a contract of their
    /// own (proposal 0010).
    private static let others: Set = [
        "/", "/login", "/mobile-auth", "/accounts", "/oauth/callback", "/oauth/mobile-callback", "/callback",
        "/xrpc/**", "/oauth/client-assertion", "/oauth/loopback",
    ]

    private struct Document: Decodable {
        struct Operation: Decodable {}
        let paths: [String: [String: Operation]]
    }

    @Test("the document has every request that the server answers, and no other")
    func everyRoute() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "openapi-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let configuration = try ConfigurationReader.read(
            """
            base_url = "https://auth.example.com"
            app_name = "Example"
            state = "\(folder)"
            [assertions]
            enrolment_codes = true
            """, credentials: nil)
        let server = try await BackendServer(configuration) { _ in }
        let routes = server.routes.filter { !Self.others.contains($0.path.description) }
        let document = try JSONDecoder().decode(Document.self, from: Data(BackendRoutes.description.utf8))
        let described = document.paths.flatMap { path, operations in
            operations.keys.map { "\($0.uppercased()) \(path)" }
        }
        #expect(routes.map { "\($0.method) \($0.path)" }.sorted() == described.sorted())
        #expect(Self.others.isSubset(of: server.routes.map(\.path.description)))
        try expectExamplesPass(server.routes.map(\.path.description))
    }

    /// The examples of the README for pages on the same host send every address of the server to it.
    private func expectExamplesPass(_ paths: [String]) throws {
        let readme = try String(
            contentsOf: URL(filePath: #filePath).appending(path: "../../../README.md").standardized,
            encoding: .utf8)
        let section = try #require(readme.components(separatedBy: "### Pages on the same host").last)
        let example = try #require(section.components(separatedBy: "### Pages at another origin").first)
        let caddy = try example.matches(of: /@server path_regexp (.*)/).map { try Regex(String($0.1)) }
        let nginx = try example.matches(of: /location ~ (.*) \{/).map { try Regex(String($0.1)) }
        #expect(caddy.count == 1 && nginx.count == 2)
        // At `/` are the pages.
        for path in paths where path != "/" {
            let address = path.replacing("**", with: "app.bsky.feed.getTimeline")
            #expect(caddy.contains { address.contains($0) }, "\(path)")
            #expect(nginx.contains { address.contains($0) }, "\(path)")
        }
    }
}
