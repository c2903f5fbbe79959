import Foundation
import TestPrograms
import Testing

/// A certification authority and a server certificate for 127.0.0.1, made by openssl in a folder of their own.
struct TestCertificates: Sendable {
    private let folder: URL

    /// The authority that signed the server's certificate.
    var authority: URL { folder.appending(path: "ca.pem") }
    /// An authority that signed nothing.
    var otherAuthority: URL { folder.appending(path: "other.pem") }
    var server: URL { folder.appending(path: "server.pem") }
    var key: URL { folder.appending(path: "server.key") }
    /// The authority as OpenSSL looks for it in a directory.
    var directory: URL { folder.appending(path: "directory") }
    /// The other authority, likewise.
    var otherDirectory: URL { folder.appending(path: "other-directory") }
    /// The authority in a directory where nothing is found by its hash.
    var unhashedDirectory: URL { folder.appending(path: "unhashed-directory") }

    /// Runs a test with certificates that are removed after it.
    static func run(_ test: (TestCertificates) async throws -> Void) async throws {
        let folder = URL.temporaryDirectory.appending(path: "bskyauth-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let certificates = TestCertificates(folder: folder)
        try await certificates.make()
        try await test(certificates)
    }

    private func make() async throws {
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        for name in ["ca", "other"] {
            try await openssl(
                "req -x509 \(key) -days 2 -subj /CN=\(name) -keyout \(name).key -out \(name).pem")
        }
        try await openssl("req \(key) -subj /CN=server -keyout server.key -out server.csr")
        try Data("subjectAltName=IP:127.0.0.1\n".utf8).write(to: folder.appending(path: "names"))
        try await openssl(
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem"
        )
        for (directory, authority) in [
            (directory, authority), (otherDirectory, otherAuthority), (unhashedDirectory, authority),
        ] {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            try FileManager.default.copyItem(
                at: authority, to: directory.appending(path: authority.lastPathComponent))
            if directory != unhashedDirectory { try await openssl("rehash \(directory.lastPathComponent)") }
        }
    }

    private func openssl(_ arguments: String) async throws {
        let result = try await Program.run(
            "/usr/bin/env", ["openssl"] + arguments.split(separator: " ").map(String.init),
            environment: Program.inheritedEnvironment, directory: folder)
        try #require(result.status == 0, "openssl \(arguments): \(result.errors)")
    }
}
