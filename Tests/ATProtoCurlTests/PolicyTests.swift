import ATPCryptography
import ATPNetworking
import BskyAuthCovers
import BskyAuthTestServer
import Foundation
import HTTPTypes
import Testing

@testable import ATProtoCurl

@Suite("CurlTransport's policy", .timeLimit(.minutes(10))) struct PolicyTests {
    private func refusal(_ transport: PatientTransport, _ url: HTTPURL) async throws -> TransportError {
        try await transportError { _ = try await transport.send(TransportRequest(method: .get, url: url)) }
    }

    @Test("refuses http outside the dev network with nothing sent", arguments: [true, false])
    func plainHTTP(allowsPrivate: Bool) async throws {
        try await TestServer.run { server in
            let transport = TestServer.transport(NetworkPolicy(allowsPrivateNetwork: allowsPrivate))
            let error = try await refusal(transport, server.url("/echo"))
            #expect(error.code == .refused(.plainHTTP) && !error.requestWasSent)
            #expect(try await server.stats().connections == 1, "the one that asks")
        }
    }

    @Test("refuses other machines on the dev network")
    func outside() async throws {
        let url = try HTTPURL(validating: "https://example.com/")
        let error = try await refusal(TestServer.transport(), url)
        #expect(error.code == .refused(.outsideDevNetwork) && !error.requestWasSent)
    }

    @Test(
        "refuses private addresses before anything is connected, however they are written", .covers("R7"),
        arguments: [
            "127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0",
        ])
    func privateAddress(host: String) async throws {
        try await TestCertificates.run { certificates in
            try await TestServer.run(certificate: certificates) { server in
                let error = try await refusal(
                    TestServer.transport(NetworkPolicy()), try server.secure("/echo", host: host))
                #expect(error.code == .refused(.privateAddress) && !error.requestWasSent)
                #expect(try await server.stats().connections == 1, "the one that asks")
            }
        }
    }

    @Test(
        "refuses addresses of other private networks and of cloud metadata", .covers("R7"),
        arguments: [
            "10.0.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "[fe80::1]", "[fd00:ec2::254]",
        ])
    func otherPrivateAddress(host: String) async throws {
        let url = try HTTPURL(validating: "https://\(host)/latest/meta-data")
        let error = try await refusal(TestServer.transport(NetworkPolicy()), url)
        #expect(error.code == .refused(.privateAddress) && !error.requestWasSent)
    }

    @Test("does not use the connection of a laxer policy")
    func otherPolicy() async throws {
        try await TestCertificates.run { certificates in
            let environment = ["SSL_CERT_FILE": certificates.authority.path]
            try await TestServer.run(certificate: certificates) { server in
                let url = try server.secure("/echo")
                let lax = TestServer.transport(
                    NetworkPolicy(allowsPrivateNetwork: true), environment: environment)
                #expect(
                    try await lax.fetch(TransportRequest(method: .get, url: url), limit: 10_000).status == 200
                )
                let error = try await refusal(
                    TestServer.transport(NetworkPolicy(), environment: environment), url)
                #expect(error.code == .refused(.privateAddress) && !error.requestWasSent)
            }
        }
    }
}

@Suite("CurlTransport's TLS", .timeLimit(.minutes(10))) struct TLSTests {
    @Test(
        "trusts the authority it is told of", .covers("12.8"), arguments: ["SSL_CERT_FILE", "CURL_CA_BUNDLE"])
    func ownAuthority(variable: String) async throws {
        try await TestCertificates.run { certificates in
            try await TestServer.run(certificate: certificates) { server in
                let transport = TestServer.transport(environment: [variable: certificates.authority.path])
                let request = TransportRequest(
                    method: .post, url: try server.secure("/echo"),
                    body: .bytes([UInt8](repeating: 0, count: 1 << 20)))
                #expect(try await transport.fetch(request, limit: 10_000).status == 200)
            }
        }
    }

    @Test("refuses a server whose authority it does not know, with nothing sent")
    func wrongAuthority() async throws {
        try await TestCertificates.run { certificates in
            let environments = [
                [:], ["SSL_CERT_FILE": certificates.otherAuthority.path], ["SSL_CERT_FILE": "/nowhere.pem"],
            ]
            try await TestServer.run(certificate: certificates) { server in
                for environment in environments {
                    let error = try await transportError {
                        _ = try await TestServer.transport(environment: environment).send(
                            TransportRequest(method: .get, url: try server.secure("/echo")))
                    }
                    #expect(error.code == .untrusted && !error.requestWasSent)
                }
                #expect(try await server.stats().requests == 0)
            }
        }
    }

    /// The authorities that a system may have in its file and in its directory.
    enum System: String, CaseIterable {
        case both, directoryAlone, fileAlone, fileAndUnhashedDirectory, neither, nothing
    }

    @Test(
        "asks the system's directory first, and its file as well where that knows no better",
        arguments: System.allCases)
    func systemStores(system: System) async throws {
        try await TestCertificates.run { certificates in
            let (right, wrong) = (certificates.authority.path, certificates.otherAuthority.path)
            let (directory, other) = (certificates.directory.path, certificates.otherDirectory.path)
            let (store, attempts): (TrustStores.Store, Int) =
                switch system {
                case .both: (.init(file: right, directory: directory), 1)
                case .directoryAlone: (.init(file: wrong, directory: directory), 1)
                case .fileAlone: (.init(file: right, directory: other), 2)
                case .fileAndUnhashedDirectory:
                    (.init(file: right, directory: certificates.unhashedDirectory.path), 1)
                case .neither: (.init(file: wrong, directory: other), 2)
                case .nothing: (.init(file: nil, directory: nil), 1)
                }
            try await TestServer.run(certificate: certificates) { server in
                let transport = TestServer.transport(system: store)
                let request = TransportRequest(method: .get, url: try server.secure("/echo"))
                guard system != .neither, system != .nothing else {
                    let error = try await transportError { _ = try await transport.send(request) }
                    #expect(error.code == .untrusted && !error.requestWasSent)
                    return #expect(try await server.stats().requests == 0)
                }
                #expect(try await transport.fetch(request, limit: 10_000).status == 200)
                let stats = try await server.stats()
                #expect(stats.requests == 1)
                #expect(stats.connections == attempts + 1, "and the one that asks")
                #expect(try await transport.fetch(request, limit: 10_000).status == 200)
            }
        }
    }

    @Test("checks certificates with what a command leaves out when it starts OpenSSL")
    func leanStart() async throws {
        // Only in a new process has nothing started OpenSSL before.
        await #expect(processExitsWith: .success) {
            try OpenSSL.start()
            try await TestCertificates.run { certificates in
                try await TestServer.run(certificate: certificates) { server in
                    let request = TransportRequest(method: .get, url: try server.secure("/echo"))
                    let right = TestServer.transport(
                        environment: ["SSL_CERT_FILE": certificates.authority.path])
                    #expect(try await right.fetch(request, limit: 10_000).status == 200)
                    let error = try await transportError {
                        _ = try await TestServer.transport(
                            environment: ["SSL_CERT_FILE": certificates.otherAuthority.path]
                        ).send(request)
                    }
                    #expect(error.code == .untrusted)
                }
            }
        }
    }

    @Test("tells a server that speaks no TLS from one that is not trusted")
    func noTLS() async throws {
        try await TestServer.run { server in
            let transport = TestServer.transport(NetworkPolicy(allowsPrivateNetwork: true))
            let error = try await transportError {
                _ = try await transport.send(
                    TransportRequest(method: .get, url: server.plainAsSecure("/echo")))
            }
            #expect(error.code == .handshakeFailed)
            #expect(!error.requestWasSent && error.detail != nil)
        }
    }

    @Test("refuses a certificate for another name")
    func wrongName() async throws {
        try await TestCertificates.run { certificates in
            try await TestServer.run(certificate: certificates) { server in
                let transport = TestServer.transport(
                    environment: ["SSL_CERT_FILE": certificates.authority.path])
                let error = try await transportError {
                    _ = try await transport.send(
                        TransportRequest(method: .get, url: try server.secure("/echo", host: "localhost")))
                }
                #expect(error.code == .untrusted && !error.requestWasSent)
            }
        }
    }

    @Test("survives a TLS connection that is reset in the middle of an upload")
    func brokenPipe() async throws {
        try await TestCertificates.run { certificates in
            try await TestServer.run(certificate: certificates) { server in
                let transport = TestServer.transport(
                    environment: ["SSL_CERT_FILE": certificates.authority.path])
                let body = RequestBody.bytes([UInt8](repeating: 1, count: 16 << 20))
                for _ in 1...5 {
                    let error = try await transportError {
                        _ = try await transport.send(
                            TransportRequest(method: .post, url: try server.secure("/half"), body: body))
                    }
                    #expect(error.code == .connectionLost && error.requestWasSent)
                }
            }
        }
    }
}

@Suite("TrustStores") struct TrustStoresTests {
    @Test("ask the directory until it takes the file too, and stay with what was enough")
    func order() async throws {
        try await TestCertificates.run { certificates in
            let whole = TrustStores.Store(
                file: certificates.authority.path, directory: certificates.directory.path)
            let stores = TrustStores(whole, isFileChosen: false)
            let first = stores.first
            #expect(first == TrustStores.Store(file: nil, directory: whole.directory))
            #expect(stores.wider(than: first) == whole && stores.wider(than: whole) == nil)
            #expect(stores.first == first, "nobody has said that it was not enough")
            stores.settle(on: first)
            #expect(stores.first == first)
            stores.settle(on: whole)
            #expect(stores.first == whole)
            #expect(TrustStores(whole, isFileChosen: true).first == whole)
        }
    }
}

@Suite("CurlConfiguration") struct CurlConfigurationTests {
    @Test("prefers CURL_CA_BUNDLE, takes empty for unset, and keeps the directory apart", .covers("12.8"))
    func certificates() {
        func configuration(_ environment: [String: String]) -> CurlConfiguration {
            CurlConfiguration(userAgent: "t", environment: environment)
        }
        let both = configuration(["CURL_CA_BUNDLE": "/a", "SSL_CERT_FILE": "/b", "SSL_CERT_DIR": "/c"])
        #expect(both.trust.first == TrustStores.Store(file: "/a", directory: "/c"))
        let chosen = CurlTransport(policy: NetworkPolicy(), userAgent: "t", certificates: "/a").configuration
        #expect(chosen.trust.whole == TrustStores.Store(file: "/a", directory: nil))
        #expect(chosen.trust.first == chosen.trust.whole)
        let second = configuration(["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "/b"]).trust.first
        #expect(second == TrustStores.Store(file: "/b", directory: TrustStores.Store.system.directory))
    }

    /// The directory by itself is there to be quick; whoever names a file wants that file read.
    @Test("asks a directory that is named alone first, and the system's file only after it", .covers("12.8"))
    func directoryAlone() async throws {
        try await TestCertificates.run { certificates in
            let (file, directory) = (certificates.authority.path, certificates.directory.path)
            let trust = CurlConfiguration(userAgent: "t", environment: ["SSL_CERT_DIR": directory]).trust
            #expect(trust.first == TrustStores.Store(file: nil, directory: directory))
            #expect(
                trust.wider(than: trust.first)
                    == TrustStores.Store(
                        file: TrustStores.Store.system.file, directory: directory))
            let both = CurlConfiguration(
                userAgent: "t", environment: ["SSL_CERT_FILE": file, "SSL_CERT_DIR": directory])
            #expect(both.trust.first == TrustStores.Store(file: file, directory: directory))
        }
    }
}
