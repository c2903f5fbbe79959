import Foundation
import HTTPTypes
import Hummingbird
import Testing

@testable import BskyAuthServer

@Suite struct OpenAPITests {
    /// What the document leaves out: the pages, the calls that are passed on, and the assertions, which have a contract of their
    /// own (proposal 0010).
    private static let others: Set = [
        "/login", "/mobile-auth", "/accounts", "/oauth/callback", "/oauth/mobile-callback", "/callback",
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
        let document = try JSONDecoder().decode(Document.self, from: Data(Backend.description.utf8))
        let described = document.paths.flatMap { path, operations in
            operations.keys.map { "\($0.uppercased()) \(path)" }
        }
        #expect(routes.map { "\($0.method) \($0.path)" }.sorted() == described.sorted())
        #expect(Self.others.isSubset(of: server.routes.map(\.path.description)))
    }
}
