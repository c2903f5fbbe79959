import Foundation
import Testing

@testable import SandboxNetwork

/// Uses openssl to make a certificate and curl to check it: two programs that share no code with the sandbox.
@Suite(
    "https", .enabled(if: Program.areThere, "openssl, curl and nginx are needed"), .timeLimit(.minutes(10)))
struct TLSTests {
    @Test("serves https with the given certificate, and says so in metadata and cookies", .covers("12.8"))
    func serves() async throws {
        try await withProcess { process, origin, curl in
            let metadata = try await curl([origin + "/.well-known/oauth-authorization-server"])
            #expect(try JSONValue(parsing: metadata.output)["issuer"] == .string(origin))
            let page = try await curl(["-D-", origin + "/oauth/authorize"])
            #expect(page.text.contains("HttpOnly; Secure; SameSite=Lax"))
            process.terminate()
            #expect(try await process.status() == 0)
        }
    }

    @Test("passes on the sandbox's clock and its dropped connections") func transparent() async throws {
        try await withProcess { process, origin, curl in
            _ = try await curl(["-d", #"{"advance":"2000d"}"#, origin + "/_sandbox/clock"])
            let keys = try await curl(["-D-", origin + "/oauth/jwks"])
            let year = Calendar(identifier: .gregorian).component(.year, from: Date() + 2000 * 86_400)
            #expect(keys.text.contains(try Regex(#"(?i)\r\ndate: .* \#(year) "#)))
            _ = try await curl(["-d", #"[{"action":{"drop":"before"}}]"#, origin + "/_sandbox/faults"])
            #expect(try await curl([origin + "/oauth/jwks"]).status == Curl.emptyReply)
            process.terminate()
            #expect(try await process.status() == 0)
        }
    }

    @Test("nginx ends when the sandbox is killed") func killed() async throws {
        try await withProcess { process, origin, curl in
            process.kill()
            #expect(try await process.status() == -SIGKILL)
            while try await curl([origin]).status != Curl.connectionRefused { await Task.yield() }
        }
    }

    @Test("says so when nginx can't use the certificate")
    func badCertificate() async throws {
        let process = SandboxProcess(["serve", "--tls-cert", "/dev/null", "--tls-key", "/dev/null"])
        #expect(try await process.status() == 1)
    }

    private typealias Command = @Sendable ([String]) async throws -> Program.Outcome

    /// Serves with a new certificate. `curl` trusts it and nothing else.
    private func withProcess(_ body: (SandboxProcess, String, Command) async throws -> Void) async throws {
        try await withFolder { folder in
            let certificate = try await Certificate.make(for: "IP:127.0.0.1", in: folder)
            let process = SandboxProcess([
                "serve", "--tls-cert", certificate.file, "--tls-key", certificate.key,
            ])
            defer { process.kill() }
            var lines = process.lines.makeAsyncIterator()
            let origin = String(try #require(await lines.next()).split(separator: "=")[1])
            #expect(origin.hasPrefix("https://127.0.0.1:"))
            let authority = certificate.file
            try await body(process, origin) { arguments in
                try await Program.run(Program.curl, ["-sS", "--cacert", authority] + arguments)
            }
        }
    }
}

/// Exit statuses of curl.
private enum Curl {
    static let connectionRefused: Int32 = 7
    static let emptyReply: Int32 = 52
}
