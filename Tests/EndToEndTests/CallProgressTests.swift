import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("The progress of a call")
    struct CallProgressTests {
        private static let upload = "com.atproto.repo.uploadBlob"
        private static let download = "com.atproto.sync.getBlob"
        private static let capable = ["TERM": "xterm", "BSKYAUTH_PAGER": "cat"]
        private static let gone = "\r\u{1b}[K"

        @Test("is one line on a terminal, up and down, and is gone at the end", .covers("F12"))
        func shown() async throws {
            let (home, blob) = try await home()
            let up = try await home.runAtTerminal(
                "call", Self.upload, "--input", blob, steps: [], environment: Self.capable)
            #expect(up.status == 0, "\(up.screen)")
            #expect(up.screen.split(separator: "\(Self.gone)sending ").count > 10)
            // The answer begins where the line was.
            #expect(up.screen.contains("\(Self.gone)sending 100% of 5 MB\(Self.gone){"))
            let cid = try #require(up.screen.split(separator: "\"").first { $0.hasPrefix("bafk") })
            let did = try #require(try await home.active()).did
            let down = try await home.runAtTerminal(
                "call", Self.download, "did=\(did)", "cid=\(cid)", "-o", "copy", steps: [],
                environment: Self.capable)
            #expect(down.status == 0, "\(down.screen)")
            #expect(down.screen.contains("\(Self.gone)receiving "))
            #expect(down.screen.hasSuffix("\(Self.gone)receiving 100% of 5 MB\(Self.gone)"))
            let copy = try Data(contentsOf: home.directory.appending(path: "copy"))
            #expect(copy == (try Data(contentsOf: URL(filePath: blob))))
        }

        @Test(
            "is not there for --quiet, for --json, on a terminal that takes nothing back, and where nobody looks"
        )
        func silent() async throws {
            let (home, blob) = try await home()
            for environment in [[:], ["TERM": "dumb"]] {
                let call = try await home.runAtTerminal(
                    "call", Self.upload, "--input", blob, steps: [], environment: environment)
                #expect(call.status == 0 && !call.screen.contains("\u{1b}"), "\(call.screen)")
            }
            for flag in ["-q", "--json"] {
                let call = try await home.runAtTerminal(
                    "call", Self.upload, "--input", blob, flag, steps: [], environment: Self.capable)
                #expect(call.status == 0)
                #expect(
                    !call.screen.contains("sending") && !call.screen.contains(Self.gone), "\(call.screen)")
            }
            let call = try await home.succeed("call", Self.upload, "--input", blob)
            #expect(!call.errors.contains("sending") && !call.errors.contains("\u{1b}"))
        }

        @Test("makes room for what went wrong")
        func failure() async throws {
            let (home, blob) = try await home()
            // Once the body has been read, however soon an answer might come.
            try await home.sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/\#(Self.upload)"},"action":{"amend":{"status":500}}}]"#)
            let call = try await home.runAtTerminal(
                "call", Self.upload, "--input", blob, steps: [], environment: Self.capable)
            #expect(call.status == 11)
            #expect(call.screen.contains("\(Self.gone)bskyauth: "), "\(call.screen)")
        }

        /// Somebody logged in, and the path of 5 MB to send.
        private func home() async throws -> (Home, String) {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            // The server's nonce is known from here on.
            try await home.succeed("call", "com.atproto.server.getSession")
            let blob = home.directory.appending(path: "photo.png")
            try Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: blob)
            return (home, blob.path)
        }
    }
}
