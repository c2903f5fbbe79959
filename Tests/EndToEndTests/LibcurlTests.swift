import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// The program with a libcurl that was built without something.
    @Suite("A libcurl that refuses an option")
    struct LibcurlTests {
        private let sandbox: Sandbox
        private let home: Home
        private let libcurl: RefusingLibcurl

        init() async throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
            libcurl = try await RefusingLibcurl(in: home)
        }

        private func run(
            _ arguments: [String], refusing option: String, _ more: [String: String] = [:]
        ) async throws -> Program.Result {
            let environment = libcurl.environment(refusing: option).merging(more) { $1 }
            return try await home.run(arguments + ["--json"], environment: environment)
        }

        private func expectRefusal(of option: String, in result: Program.Result) {
            #expect(result.status == 1 && result.output.isEmpty, "\(option): \(result.text)")
            #expect(result.errorLine?.code == "transport", "\(result.errors)")
            #expect(result.errors.contains("libcurl can't make this request: it refuses CURLOPT_\(option)\""))
        }

        @Test("sends no request without it, and names it")
        func refused() async throws {
            // The program sets the certificates only where they are not those of the system.
            let certificates = ["SSL_CERT_FILE": "/none.pem", "SSL_CERT_DIR": "/none"]
            let requests = try await sandbox.requests {
                for option in [
                    "URL", "PROTOCOLS_STR", "PATH_AS_IS", "FOLLOWLOCATION", "PROXY", "NOPROXY", "CAINFO",
                    "CAPATH",
                    "OPENSOCKETFUNCTION", "OPENSOCKETDATA", "HTTPHEADER", "NOSIGNAL",
                ] {
                    let result = try await run(["resolve", "alice.test"], refusing: option, certificates)
                    if result.errorLine?.code == "identity_unavailable" {
                        #expect(result.status == 12)
                        #expect(result.errors.contains("it refuses CURLOPT_\(option)"), "\(result.errors)")
                    } else {
                        expectRefusal(of: option, in: result)
                    }
                }
            }
            #expect(requests.isEmpty)
        }

        @Test("asks no server for assertions without the certificate")
        func certificate() async throws {
            for name in ["client.pem", "client.key"] {
                let file = home.directory.appending(path: name)
                try Data().write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            }
            let result = try await run(
                [
                    "login", "alice.test", "--client-assertions", sandbox.address, "--client-cert",
                    "client.pem",
                    "--client-cert-key", "client.key",
                ], refusing: "SSLCERT")
            #expect(result.status != 0)
            #expect(result.errors.contains("it refuses CURLOPT_SSLCERT"), "\(result.errors)")
        }

        @Test("goes on without HTTP/2")
        func version() async throws {
            let result = try await run(["resolve", "alice.test"], refusing: "HTTP_VERSION")
            #expect(
                result.status == 0 && result.json?["handle"] as? String == "alice.test", "\(result.errors)")
        }
    }
}
