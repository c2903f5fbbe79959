import Foundation
import Testing

@testable import SandboxNetwork

/// Uses openssl to make a certificate and curl to check it: two programs that share no code with the sandbox.
@Suite("https", .enabled(if: Tools.areThere, "openssl, curl and nginx are needed"), .timeLimit(.minutes(10)))
struct TLSTests {
    @Test("serves https with the given certificate, and says so in metadata and cookies", .covers("12.8"))
    func serves() async throws {
        try await withProcess { process, origin, curl in
            let metadata = try await curl([origin + "/.well-known/oauth-authorization-server"])
            #expect(try JSONValue(parsing: metadata.output)["issuer"] == .string(origin))
            let page = try await curl(["-D-", origin + "/oauth/authorize"])
            #expect(page.text.contains("HttpOnly; Secure; SameSite=Lax"))
            process.terminate()
            #expect(await process.status() == 0)
        }
    }

    @Test("passes on the sandbox's clock and its dropped connections") func transparent() async throws {
        try await withProcess { process, origin, curl in
            _ = try await curl(["-d", #"{"advance":"2000d"}"#, origin + "/_sandbox/clock"])
            let keys = try await curl(["-D-", origin + "/oauth/jwks"])
            let year = Calendar(identifier: .gregorian).component(.year, from: Date() + 2000 * 86_400)
            #expect(keys.text.contains(try Regex(#"(?i)\r\ndate: .* \#(year) "#)))
            _ = try await curl(["-d", #"[{"action":{"drop":"before"}}]"#, origin + "/_sandbox/faults"])
            #expect(try await curl([origin + "/oauth/jwks"]).status == Tools.emptyReply)
            process.terminate()
            #expect(await process.status() == 0)
        }
    }

    @Test("nginx ends when the sandbox is killed") func killed() async throws {
        try await withProcess { process, origin, curl in
            process.kill()
            #expect(await process.status() == -SIGKILL)
            while try await curl([origin]).status != Tools.connectionRefused { await Task.yield() }
        }
    }

    @Test("says so when nginx can't use the certificate")
    func badCertificate() async throws {
        let process = try SandboxProcess(["serve", "--tls-cert", "/dev/null", "--tls-key", "/dev/null"])
        #expect(await process.status() == 1)
    }

    private typealias Curl = @Sendable ([String]) async throws -> Outcome

    /// The result of a program.
    private struct Outcome {
        let status: Int32
        let output: [UInt8]
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// Serves with a new certificate. `curl` trusts it and nothing else.
    private func withProcess(_ body: (SandboxProcess, String, Curl) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "sandbox-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (certificate, key) = (
            folder.appending(path: "c.pem").path(), folder.appending(path: "k.pem").path()
        )
        let made = try await Self.run(
            Tools.openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2",
                "-keyout", key, "-out", certificate, "-subj", "/CN=sandbox", "-addext",
                "subjectAltName=IP:127.0.0.1",
            ])
        try #require(made.status == 0)
        let process = try SandboxProcess(["serve", "--tls-cert", certificate, "--tls-key", key])
        defer { process.kill() }
        var lines = process.lines.makeAsyncIterator()
        let origin = String(try #require(await lines.next()).split(separator: "=")[1])
        #expect(origin.hasPrefix("https://127.0.0.1:"))
        try await body(process, origin) { arguments in
            try await Self.run(Tools.curl, ["-sS", "--cacert", certificate] + arguments)
        }
    }

    private static func run(_ program: String, _ arguments: [String]) async throws -> Outcome {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { end.yield($0.terminationStatus) }
        try process.run()
        var statuses = ended.makeAsyncIterator()
        let status = await statuses.next() ?? -1
        return Outcome(
            status: status, output: [UInt8](try output.fileHandleForReading.readToEnd() ?? Data()))
    }
}

private enum Tools {
    static let openssl = "/usr/bin/openssl"
    static let curl = "/usr/bin/curl"
    static let nginx = "/usr/sbin/nginx"
    static var areThere: Bool {
        [openssl, curl, nginx].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Exit statuses of curl.
    static let connectionRefused: Int32 = 7
    static let emptyReply: Int32 = 52
}
