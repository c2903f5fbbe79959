import Foundation
import Testing

@testable import SandboxNetwork

/// Uses openssl to make a certificate and curl to check it: two programs that share no code with the sandbox.
@Suite("https")
struct TLSTests {
    @Test(
        "serves https with the given certificate, and says so in metadata and cookies",
        .enabled(if: Tools.areThere, "openssl and curl are needed"))
    func serves() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "sandbox-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (certificate, key) = (
            folder.appending(path: "c.pem").path(), folder.appending(path: "k.pem").path()
        )
        _ = try await run(
            Tools.openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2",
                "-keyout", key, "-out", certificate, "-subj", "/CN=sandbox", "-addext",
                "subjectAltName=IP:127.0.0.1",
            ])
        let process = try SandboxProcess(["serve", "--tls-cert", certificate, "--tls-key", key])
        var lines = process.lines.makeAsyncIterator()
        let origin = String(try #require(await lines.next()).split(separator: "=")[1])
        #expect(origin.hasPrefix("https://127.0.0.1:"))
        let metadata = try await run(
            Tools.curl, ["-sS", "--cacert", certificate, origin + "/.well-known/oauth-authorization-server"])
        #expect(try JSONValue(parsing: metadata)["issuer"] == .string(origin))
        let page = try await run(
            Tools.curl, ["-sS", "-D-", "--cacert", certificate, origin + "/oauth/authorize"])
        #expect(String(decoding: page, as: UTF8.self).contains("HttpOnly; Secure; SameSite=Lax"))
        process.terminate()
        #expect(await process.status() == 0)
    }

    /// Runs a program and answers what it wrote to stdout.
    private func run(_ program: String, _ arguments: [String]) async throws -> [UInt8] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { end.yield($0.terminationStatus) }
        try process.run()
        for await status in ended {
            try #require(status == 0)
            break
        }
        return [UInt8](try output.fileHandleForReading.readToEnd() ?? Data())
    }
}

private enum Tools {
    static let openssl = "/usr/bin/openssl"
    static let curl = "/usr/bin/curl"
    static var areThere: Bool {
        [openssl, curl].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
