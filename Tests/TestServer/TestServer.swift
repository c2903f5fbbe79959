package import ATPNetworking
import BskyAuthTestPrograms
import Foundation
import HTTPTypes
package import Testing

/// `server.py` as a process of its own, for one test.
package struct TestServer: Sendable {
    private struct Ports: Codable {
        let http: Int
        let deaf: Int
        let closed: Int
        let https: Int?
    }

    /// The counts of the server since its start.
    package struct Stats: Codable {
        package let connections: Int
        package let requests: Int
        package let sent: Int
        package let received: Int
        /// `CONNECTION NTH METHOD TARGET` for each request.
        package let served: [String]
    }

    /// A request as the server saw it.
    package struct Echo: Codable {
        package let method: String
        package let target: String
        package let headers: [[String]]
        package let length: Int
        package let sha256: String
        /// The number of its connection, and its number among the requests of that connection.
        package let connection: Int
        package let nth: Int

        package func values(_ name: String) -> [String] {
            headers.filter { $0.first?.lowercased() == name.lowercased() }.map { $0.dropFirst().joined() }
        }
    }

    /// A policy that allows http, and only loopback addresses.
    package static let policy = NetworkPolicy(devNetwork: Origin(scheme: .http, host: "127.0.0.1"))

    private let ports: Ports
    package let transport: PatientTransport

    /// Runs a test with a server that ends with it.
    ///
    /// - Parameter transport: makes the transport of the test. The policy names the port of this server, so no other test
    ///   uses its connections.
    package static func run(
        certificate: TestCertificates? = nil, transport: (NetworkPolicy) -> any HTTPTransport,
        _ test: (TestServer) async throws -> Void
    ) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "server.py")
        let files = [script.path] + (certificate.map { [$0.server.path, $0.key.path] } ?? [])
        let server = try await Program.Server.start(
            Program.python, files, environment: Program.inheritedEnvironment)
        let ports = try JSONDecoder().decode(Ports.self, from: Data(server.announcement.utf8))
        let policy = NetworkPolicy(
            devNetwork: Origin(scheme: .http, host: "127.0.0.1", port: ports.http))
        let outcome: Result<Void, any Error>
        do {
            let transport = PatientTransport(transport(policy))
            outcome = .success(try await test(TestServer(ports: ports, transport: transport)))
        } catch {
            outcome = .failure(error)
        }
        await server.end()
        try outcome.get()
    }

    package func url(_ target: String) -> HTTPURL { Self.url(.http, port: ports.http, target) }
    /// An http URL with a name whose other address, if it has one, refuses connections.
    package func named(_ target: String) -> HTTPURL {
        Self.url(.http, host: "localhost", port: ports.http, target)
    }
    /// An https URL of the port that speaks no TLS.
    package func plainAsSecure(_ target: String) -> HTTPURL { Self.url(.https, port: ports.http, target) }
    package func secure(_ target: String, host: String = "127.0.0.1") throws -> HTTPURL {
        Self.url(.https, host: host, port: try #require(ports.https), target)
    }
    package func deaf(_ scheme: Origin.Scheme) -> HTTPURL { Self.url(scheme, port: ports.deaf, "/") }
    package var closed: HTTPURL { Self.url(.http, port: ports.closed, "/") }

    private static func url(
        _ scheme: Origin.Scheme, host: String = "127.0.0.1", port: Int, _ target: String
    ) -> HTTPURL {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return HTTPURL(
            origin: Origin(scheme: scheme, host: host, port: port), path: String(parts[0]),
            query: parts.count > 1 ? String(parts[1]) : nil)
    }

    package func fetch(_ target: String, limit: Int = 1 << 20) async throws(TransportError) -> FetchedResponse
    {
        try await transport.fetch(TransportRequest(method: .get, url: url(target)), limit: limit)
    }

    /// Opens a connection for the next request, which is then sent as soon as its time-outs begin.
    package func openConnection() async throws {
        _ = try await fetch("/echo")
    }

    package func echo(_ request: TransportRequest) async throws -> Echo {
        try JSONDecoder().decode(Echo.self, from: Data(await transport.fetch(request, limit: 1 << 20).body))
    }

    /// The counts now.
    package func stats() async throws -> Stats { try await control("/stats") }

    /// Waits until a count has reached a number.
    package func wait(for count: String, atLeast least: Int = 1) async throws -> Stats {
        try await control("/wait/\(count)/\(least)")
    }

    package func control(_ target: String) async throws -> Stats {
        let request = TransportRequest(method: .get, url: url(target), needsFreshConnection: true)
        return try JSONDecoder().decode(
            Stats.self, from: Data(await transport.fetch(request, limit: 1 << 20).body))
    }
}

/// A transport for busy machines. If a request names no time-outs, only those that bound a hang apply.
package struct PatientTransport: HTTPTransport {
    private let transport: any HTTPTransport

    package init(_ transport: any HTTPTransport) {
        self.transport = transport
    }

    package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var request = request
        if request.timeouts == .call { request.timeouts = Timeouts(connect: .seconds(600), total: nil) }
        return try await transport.send(request)
    }
}

/// The error that the body throws. The test fails if there is none.
package func transportError(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> TransportError {
    try #require(
        await #expect(throws: TransportError.self, sourceLocation: sourceLocation) { try await body() })
}
