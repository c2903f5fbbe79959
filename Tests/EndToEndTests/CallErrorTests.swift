import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// What is shown of a response that is an error.
    @Suite("What call shows of an error")
    struct CallErrorTests {
        private static let nsid = "com.atproto.server.getSession"
        private static let body = #"{"error":"Strange","message":"no","details":[1.50]}"#

        private let sandbox: Sandbox
        private let home: Home

        init() async throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
            try await home.logIn("alice.test")
            try await answer(body: Self.body)
        }

        private func answer(_ status: Int = 400, body: String) async throws {
            let headers = #"{"content-type":"application/json","x-detail":"seven","set-cookie":"id=s3cret"}"#
            let text = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
            try await sandbox.setFaults(Faults.answer(Self.nsid, status, headers: headers, body: text))
        }

        @Test("-i puts status, headers and body on standard output, byte for byte", .covers("F10"))
        func include() async throws {
            for arguments in [["-i"], ["-i", "-o", "file"], ["-i", "--json"]] {
                let call = try await home.run(["call", Self.nsid] + arguments)
                #expect(call.status == 10)
                let parts = call.text.components(separatedBy: "\n\n")
                #expect(parts.first?.hasPrefix("HTTP 400\n") == true, "\(call.text)")
                #expect(parts.first?.contains("\nx-detail: seven") == true, "\(call.text)")
                #expect(parts.last == Self.body, "\(call.text)")
                #expect(call.errors.contains("Strange"))
            }
            let file = home.directory.appending(path: "file").path
            #expect(!FileManager.default.fileExists(atPath: file))
        }

        @Test("without -i nothing is on standard output; -v tells status and headers on standard error")
        func verbose() async throws {
            let plain = try await home.run("call", Self.nsid)
            #expect(plain.status == 10 && plain.output.isEmpty && !plain.errors.contains("x-detail"))
            for arguments in [[], ["--paginate"]] {
                let call = try await home.run(["call", Self.nsid, "-v"] + arguments)
                #expect(call.status == 10 && call.output.isEmpty)
                #expect(call.errors.contains("\nHTTP 400\n"), "\(call.errors)")
                #expect(call.errors.contains("\nx-detail: seven\n"), "\(call.errors)")
                #expect(call.errors.contains("set-cookie: <redacted>\n") && !call.errors.contains("s3cret"))
                #expect(!call.errors.contains("1.50"))
            }
        }

        @Test("-o leaves the file of an earlier call as it is", arguments: [[], ["-i"], ["-v"], ["--items"]])
        func file(options: [String]) async throws {
            let file = home.directory.appending(path: "answer.json")
            try Data("earlier".utf8).write(to: file)
            // No option goes together with both --items and -i.
            let call = try await home.run(["call", Self.nsid, "-o", file.path] + options)
            #expect(call.status == 10)
            #expect(try Data(contentsOf: file) == Data("earlier".utf8))
        }

        @Test("a long body is there too, and a reader that has gone away does not hide the error")
        func long() async throws {
            let long = #"{"error":"Strange","message":"\#(String(repeating: "x", count: 200_000))"}"#
            try await answer(500, body: long)
            let call = try await home.run("call", Self.nsid, "-i")
            #expect(call.status == 11 && call.text.hasSuffix(long))
            let script = #""$0" call "$1" -i 2>errors | true; echo "${PIPESTATUS[0]}""#
            let result = try await Program.run(
                "/bin/bash", ["-c", script, Paths.program, Self.nsid], environment: home.environment,
                directory: home.directory)
            #expect(result.text == "11\n")
            let errors = try String(contentsOf: home.directory.appending(path: "errors"), encoding: .utf8)
            #expect(errors.contains("bskyauth: ") && errors.contains("HTTP 500"), "\(errors)")
        }

        @Test("a terminal gets it indented, and no control characters")
        func terminal() async throws {
            let seen = try await home.runAtTerminal("call", Self.nsid, "-i", steps: [])
            #expect(
                seen.status == 10 && seen.screen.contains("  \"details\": [\r\n    1.50"), "\(seen.screen)")
            try await sandbox.setFaults(
                Faults.answer(
                    Self.nsid, 400, headers: #"{"content-type":"text/plain"}"#, body: #""a\u001b[31mb""#))
            let hostile = try await home.runAtTerminal("call", Self.nsid, "-i", steps: [])
            #expect(hostile.status == 10 && !hostile.screen.contains("\u{1b}[31m"), "\(hostile.screen)")
        }
    }
}
