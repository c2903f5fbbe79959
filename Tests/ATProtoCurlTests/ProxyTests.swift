import ATPNetworking
import BskyAuthCovers
import BskyAuthTestServer
import Foundation
import HTTPTypes
import Testing

@testable import ATProtoCurl

@Suite("CurlTransport's proxies", .timeLimit(.minutes(10))) struct ProxyTests {
    private static let home = NetworkPolicy(allowsPrivateNetwork: true)

    /// A server and its proxy, which is the same program.
    private struct Proxied {
        let server: TestServer
        let certificates: TestCertificates

        /// Sends a request through a transport that uses the proxy.
        ///
        /// - Parameter system: what the system trusts; nil to name the authority by a variable.
        func status(
            of host: String, _ policy: NetworkPolicy = NetworkPolicy(), variable: String = "https_proxy",
            except: String? = nil, system: TrustStores.Store? = nil
        ) async throws -> Int {
            var environment = system == nil ? ["SSL_CERT_FILE": certificates.authority.path] : [:]
            environment[variable] = server.url("/").origin.description
            environment["no_proxy"] = except
            let transport = TestServer.transport(policy, environment: environment, system: system ?? .system)
            let request = TransportRequest(
                method: .get, url: try server.secure("/echo", host: host), needsFreshConnection: true)
            return try await transport.fetch(request, limit: 10_000).status
        }

        /// The number of CONNECT requests to the proxy.
        func asked() async throws -> Int {
            try await server.stats().served.count { $0.contains(" CONNECT ") }
        }

        static func run(_ test: (Proxied) async throws -> Void) async throws {
            try await TestCertificates.run { certificates in
                try await TestServer.run(certificate: certificates) { server in
                    try await test(Proxied(server: server, certificates: certificates))
                }
            }
        }
    }

    @Test("connect in its place, whichever variable names them")
    func used() async throws {
        try await Proxied.run { proxied in
            let variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
            for (index, variable) in variables.enumerated() {
                let status = try await proxied.status(of: "127.0.0.1", Self.home, variable: variable)
                #expect(status == 200)
                let asked = try await proxied.asked()
                #expect(asked == index + 1, "\(variable)")
            }
        }
    }

    @Test("lead to servers that are judged by all that the system trusts, at once")
    func trust() async throws {
        try await Proxied.run { proxied in
            let (file, directory) = (proxied.certificates.authority, proxied.certificates.otherDirectory)
            let status = try await proxied.status(
                of: "127.0.0.1", Self.home, system: .init(file: file.path, directory: directory.path))
            #expect(status == 200)
            let asked = try await proxied.asked()
            #expect(asked == 1)
        }
    }

    @Test("are asked for names, which they alone can look up")
    func names() async throws {
        try await Proxied.run { proxied in
            await #expect(throws: TransportError.self) { try await proxied.status(of: "nowhere.invalid") }
            let asked = try await proxied.asked()
            #expect(asked == 1)
        }
    }

    @Test("are never asked for a private address, however it is written", .covers("R7"))
    func literal() async throws {
        try await Proxied.run { proxied in
            for host in [
                "127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "017700000001", "0X7F000001", "0.0.0.0",
                "10.0.0.1", "192.168.257", "169.254.169.254", "0xa9fea9fe", "[::1]", "[::ffff:127.0.0.1]",
                "[::ffff:a9fe:a9fe]", "[fe80::1]", "[fd00:ec2::254]", "256.1", "0x", "1.2.3.4.5", "[1::2::3]",
            ] {
                let error = try await transportError { _ = try await proxied.status(of: host) }
                #expect(error.code == .refused(.privateAddress) && !error.requestWasSent, "\(host)")
            }
            let stats = try await proxied.server.stats()
            #expect(stats.connections == 1, "the one that asks")
        }
    }

    @Test("do not stand before this machine, whose address is refused as without them", .covers("R7"))
    func thisMachine() async throws {
        try await Proxied.run { proxied in
            for host in ["localhost", "pds.localhost"] {
                let error = try await transportError { _ = try await proxied.status(of: host) }
                #expect(error.code == .refused(.privateAddress) && !error.requestWasSent, "\(host)")
            }
            let stats = try await proxied.server.stats()
            #expect(stats.connections == 1, "the one that asks")
        }
    }

    @Test("that are not found say nothing about the host behind them")
    func notFound() async throws {
        try await Proxied.run { proxied in
            let transport = TestServer.transport(
                Self.home,
                environment: [
                    "SSL_CERT_FILE": proxied.certificates.authority.path,
                    "https_proxy": "http://proxy.invalid:3128",
                ])
            let url = try proxied.server.secure("/echo", host: "127.0.0.1")
            let error = try await transportError {
                _ = try await transport.fetch(TransportRequest(method: .get, url: url), limit: 10_000)
            }
            #expect(error.code == .notConnected && !error.requestWasSent)
        }
    }

    @Test("are passed by for the addresses that NO_PROXY names, and no others")
    func addresses() async throws {
        try await Proxied.run { proxied in
            for exceptions in [
                "127.0.0.1", "127.0.0.0/8", "*", "a.example, 127.0.0.1", "10.0.0.0/8 127.0.0.0/9",
            ] {
                let status = try await proxied.status(of: "127.0.0.1", Self.home, except: exceptions)
                #expect(status == 200)
                let asked = try await proxied.asked()
                #expect(asked == 0, "\(exceptions)")
            }
            let others = ["127.0.0.2", "127.128.0.0/9", "0.0.0.1", "::1/0", "127.0.0.1/33", "localhost", "1"]
            for (index, exceptions) in others.enumerated() {
                let status = try await proxied.status(of: "127.0.0.1", Self.home, except: exceptions)
                #expect(status == 200)
                let asked = try await proxied.asked()
                #expect(asked == index + 1, "\(exceptions)")
            }
        }
    }

    @Test("are passed by for the domains that NO_PROXY names with all in them, and no others that end alike")
    func domains() async throws {
        try await Proxied.run { proxied in
            for exceptions in ["invalid", ".Invalid.", "PDS.invalid"] {
                let error = try await transportError {
                    _ = try await proxied.status(of: "pds.invalid", except: exceptions)
                }
                #expect(error.code == .nameNotResolved, "\(exceptions)")
                let asked = try await proxied.asked()
                #expect(asked == 0, "\(exceptions)")
            }
            for (index, exceptions) in ["s.invalid", "a.pds.invalid", "."].enumerated() {
                await #expect(throws: TransportError.self) {
                    try await proxied.status(of: "pds.invalid", except: exceptions)
                }
                let asked = try await proxied.asked()
                #expect(asked == index + 1, "\(exceptions)")
            }
        }
    }

    @Test(
        "are named without the name and the password that are theirs",
        arguments: [
            ("http://me:s3cret@proxy.example:3128/", "http://proxy.example:3128"),
            ("me:s3cr@et@proxy.example:3128", "proxy.example:3128"),
            ("socks5h://127.0.0.1:1080", "socks5h://127.0.0.1:1080"), ("[::1]:8080", "[::1]:8080"),
        ])
    func shown(proxy: String, shown: String) {
        func configuration(_ environment: [String: String]) -> CurlConfiguration {
            CurlConfiguration(userAgent: "test", environment: environment)
        }
        #expect(configuration(["ALL_PROXY": proxy]).proxy == shown)
        #expect(configuration(["ALL_PROXY": proxy, "NO_PROXY": "*"]).proxy == nil)
    }
}
