import BskyAuthTestPrograms
package import Foundation
import Synchronization
import Testing

/// A certification authority and a server certificate for 127.0.0.1 and 127.251.0.1, made by openssl once for all tests of a process.
package struct TestCertificates: Sendable {
    private static let shared = Task {
        let folder = URL.temporaryDirectory.appending(path: "bskyauth-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        removedAtExit.withLock { $0 = folder }
        atexit { try? removedAtExit.withLock { try $0.map(FileManager.default.removeItem) } }
        let certificates = TestCertificates(folder: folder)
        try await certificates.make()
        return certificates
    }
    private static let removedAtExit = Mutex<URL?>(nil)

    private let folder: URL

    /// The authority that signed the server's certificate.
    package var authority: URL { folder.appending(path: "ca.pem") }
    /// An authority that signed nothing.
    package var otherAuthority: URL { folder.appending(path: "other.pem") }
    package var server: URL { folder.appending(path: "server.pem") }
    package var key: URL { folder.appending(path: "server.key") }
    /// A directory with the authority under a hashed name, as OpenSSL looks for it.
    package var directory: URL { folder.appending(path: "directory") }
    /// A directory with the other authority under a hashed name.
    package var otherDirectory: URL { folder.appending(path: "other-directory") }
    /// A directory with the authority, but not under a hashed name.
    package var unhashedDirectory: URL { folder.appending(path: "unhashed-directory") }

    /// Runs a test with the certificates.
    package static func run(_ test: (TestCertificates) async throws -> Void) async throws {
        try await test(shared.value)
    }

    private func make() async throws {
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        for name in ["ca", "other"] {
            try await openssl(
                "req -x509 \(key) -days 2 -subj /CN=\(name) -keyout \(name).key -out \(name).pem")
        }
        try await openssl("req \(key) -subj /CN=server -keyout server.key -out server.csr")
        try Data("subjectAltName=IP:127.0.0.1,IP:127.251.0.1\n".utf8).write(
            to: folder.appending(path: "names"))
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
