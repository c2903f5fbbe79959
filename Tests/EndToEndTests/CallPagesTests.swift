import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("The pages of call")
    struct CallPagesTests {
        private static let path = "/xrpc/com.atproto.repo.listRecords"
        private static let call = [
            "call", "com.atproto.repo.listRecords", "repo=alice.test", "collection=a.b.c", "limit=2",
            "reverse:=true",
        ]

        private let sandbox: Sandbox
        private let home: Home

        /// Five records, which are three pages.
        init() async throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
            try await home.logIn("alice.test")
            for number in 1...5 {
                try await home.succeed(
                    "call", "com.atproto.repo.putRecord", "collection=a.b.c", "rkey=r\(number)", "record:={}")
            }
        }

        private struct Page: Decodable {
            struct Record: Decodable {
                let uri: String
            }

            let records: [Record]
            let cursor: String?
        }

        private func lines<Line: Decodable>(_ output: Data, of type: Line.Type) throws -> [Line] {
            try output.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(type, from: $0) }
        }

        /// The record keys of an item a line.
        private func keys(_ output: Data) throws -> [String] {
            try lines(output, of: Page.Record.self).map { String($0.uri.suffix(2)) }
        }

        @Test(
            "--paginate prints a page a line, with one request each and nothing changed but the cursor",
            .covers("X11"))
        func pages() async throws {
            var output = Data()
            let requests = try await sandbox.requests {
                output = try await home.run(Self.call + ["--paginate"]).output
            }
            let pages = try lines(output, of: Page.self)
            #expect(pages.map(\.records.count) == [2, 2, 1])
            #expect(pages.last?.cursor == nil)
            #expect(requests.map(\.line) == Array(repeating: "GET \(Self.path)", count: 3))
            let first = try #require(requests.first?.query)
            #expect(!first.contains("cursor"))
            #expect(
                requests.map(\.query) == [first] + pages.compactMap(\.cursor).map { "\(first)&cursor=\($0)" })
        }

        @Test("--items prints an item a line, to standard output or a file")
        func items() async throws {
            let all = try await home.run(Self.call + ["--items"])
            #expect(all.status == 0)
            #expect(try keys(all.output) == ["r1", "r2", "r3", "r4", "r5"])
            let file = home.directory.appending(path: "items")
            let saved = try await home.run(Self.call + ["--items", "-o", file.path])
            #expect(saved.status == 0 && saved.output.isEmpty)
            #expect(try Data(contentsOf: file) == all.output)
        }

        @Test("--limit-pages says how to go on, and --cursor goes on there")
        func resumed() async throws {
            let file = home.directory.appending(path: "none")
            let unclear = try await home.run(
                "call", "com.atproto.server.getSession", "--items", "--json", "-o", file.path)
            #expect(unclear.status == 64 && unclear.errorLine?.code == "items_unclear")
            #expect(!FileManager.default.fileExists(atPath: file.path))

            let begun = try await home.run(Self.call + ["--items", "--limit-pages", "2"])
            #expect(begun.status == 0)
            #expect(try keys(begun.output) == ["r1", "r2", "r3", "r4"])
            let cursor = try #require(
                begun.errors.firstMatch(of: /there is more; resume with --cursor (\S+)\n/)?.output.1)
            let rest = try await home.run(Self.call + ["--items", "--cursor", String(cursor)])
            #expect(try keys(rest.output) == ["r5"])
            #expect(!rest.errors.contains("resume"))
            // Without paging it is one answer as it came.
            let one = try await home.run(Self.call + ["--cursor", String(cursor)])
            #expect(try lines(one.output, of: Page.self).map(\.records.count) == [1])
        }

        @Test("what came before a failure is printed, and the cursor to resume with is told")
        func failure() async throws {
            try await sandbox.setFaults(
                #"[{"match":{"path":"\#(Self.path)"},"skip":1,"action":{"respond":{"status":503}}}]"#)
            let begun = try await home.run(Self.call + ["--items", "--json"])
            #expect(begun.status == 11 && begun.errorLine?.retryable == true)
            #expect(try keys(begun.output) == ["r1", "r2"])
            let cursor = try #require(begun.errorLine?.cursor)
            let told = try await home.run(Self.call + ["--items", "--cursor", cursor])
            #expect(told.status == 11)
            #expect(told.output.isEmpty)
            #expect(told.errors.hasSuffix("\n  resume with --cursor \(cursor)\n"))
            try await sandbox.setFaults("[]")
            let rest = try await home.run(Self.call + ["--items", "--cursor", cursor])
            #expect(try keys(rest.output) == ["r3", "r4", "r5"])
        }

        @Test("a cursor that comes again ends a circle of pages", .covers("X11"))
        func circle() async throws {
            try await sandbox.setFaults(
                #"[{"match":{"path":"\#(Self.path)"},"action":{"amend":{"set":{"/cursor":"again"}}}}]"#)
            let requests = try await sandbox.requests {
                let result = try await home.run(Self.call + ["--paginate", "--json"])
                #expect(result.status == 1 && result.errorLine?.code == "repeated_cursor")
                #expect(result.errorLine?.cursor == nil)
                #expect(try lines(result.output, of: Page.self).count == 2)
            }
            #expect(requests.count == 2)
        }

        @Test(
            "a last page with new items and the cursor of its request is the end, with a warning; a cursor of an earlier page is a circle",
            .covers("X11"))
        func ownCursor() async throws {
            func amend(_ number: Int) -> String {
                #"[{"match":{"path":"\#(Self.path)"},"skip":\#(number),"action":{"amend":{"set":{"/cursor":"CURSOR"}}}}]"#
            }
            let pages = try lines(try await home.run(Self.call + ["--paginate"]).output, of: Page.self)
            let first = try #require(pages.first?.cursor)
            try await sandbox.setFaults(amend(1).replacing("CURSOR", with: first))
            let file = home.directory.appending(path: "items")
            for options in [["--items"], ["--items", "-o", file.path]] {
                let result = try await home.run(Self.call + options)
                #expect(result.status == 0, "\(result.errors)")
                let output = options.count == 1 ? result.output : try Data(contentsOf: file)
                #expect(try keys(output) == ["r1", "r2", "r3", "r4"])
                #expect(
                    result.errors.contains("the server repeated the cursor of its last page"),
                    "\(result.errors)")
            }
            try await sandbox.setFaults(amend(2).replacing("CURSOR", with: first))
            let circle = try await home.run(Self.call + ["--items", "--json"])
            #expect(circle.status == 1 && circle.errorLine?.code == "repeated_cursor", "\(circle.errors)")
        }

        @Test("an empty page with the cursor of its request is the end, with a warning", .covers("X11"))
        func emptyCircle() async throws {
            let end = #"{"cursor":"end","records":[]}"#
            try await sandbox.setFaults(
                #"[{"match":{"path":"\#(Self.path)"},"times":1,"action":{"amend":{"set":{"/cursor":"end"}}}},"#
                    + #"{"match":{"path":"\#(Self.path)"},"skip":1,"action":{"respond":{"status":200,"body":\#(end)}}}]"#
            )
            let result = try await home.run(Self.call + ["--items"])
            #expect(result.status == 0, "\(result.errors)")
            #expect(try keys(result.output) == ["r1", "r2"])
            #expect(
                result.errors.contains("the server repeated a cursor with an empty page"), "\(result.errors)")
        }

        @Test(
            "a web page where JSON is due is printed, and the call fails; JSON that is called a page is JSON")
        func webPage() async throws {
            for (body, status) in [
                (#""<!doctype html>""#, 11), (#"{"records":[]}"#, 0), (#""{\"note\":\"\\ud83d\"}""#, 0),
                (#""{\"records\":[],\"records\":[]}""#, 0),
            ] {
                try await sandbox.setFaults(
                    #"[{"match":{"path":"\#(Self.path)"},"action":{"respond":{"status":200,"headers":"#
                        + #"{"content-type":"text/html; charset=utf-8"},"body":\#(body)}}}]"#)
                let result = try await home.run(Self.call)
                #expect(result.status == Int32(status), "\(result.errors)")
                #expect(!result.output.isEmpty && result.errors.contains("with a web page") == (status == 11))
                // A page never takes the place of an earlier file.
                let file = home.directory.appending(path: "records.json")
                try Data("earlier".utf8).write(to: file)
                let written = try await home.run(Self.call + ["-o", file.path])
                #expect(written.status == Int32(status), "\(written.errors)")
                let content = try String(contentsOf: file, encoding: .utf8)
                #expect((content == "earlier") == (status == 11), "\(content)")
            }
        }

        @Test("an empty page in between is not the end", .covers("X11"))
        func empty() async throws {
            let empty =
                #"{"match":{"path":"\#(Self.path)"},"skip":1,"times":1,"#
                + #""action":{"amend":{"set":{"/records":[]}}}}"#
            try await sandbox.setFaults("[\(empty)]")
            #expect(try keys(try await home.run(Self.call + ["--items"]).output) == ["r1", "r2", "r5"])
        }

        @Test("a reader that closes the pipe ends the pages quietly, and no further page is asked for")
        func closedPipe() async throws {
            // More than a pipe holds.
            let padding = String(repeating: "x", count: 1_000_000)
            try await sandbox.setFaults(
                #"[{"match":{"path":"\#(Self.path)"},"action":{"amend":{"set":{"/padding":"\#(padding)"}}}}]"#
            )
            let script = #""$0" "$@" 2>errors | head -c 1 >/dev/null; echo "${PIPESTATUS[0]}""#
            let requests = try await sandbox.requests {
                let result = try await Program.run(
                    "/bin/bash", ["-c", script, Paths.program] + Self.call + ["--paginate"],
                    environment: home.environment, directory: home.directory)
                #expect(result.text == "0\n")
            }
            #expect(requests.count == 1)
            let errors = try String(contentsOf: home.directory.appending(path: "errors"), encoding: .utf8)
            #expect(errors.split(separator: "\n").allSatisfy { $0.hasPrefix("using the dev network") })
        }

        @Test("what has no pages is a usage error and asks nobody")
        func usage() async throws {
            let requests = try await sandbox.requests {
                for arguments in [
                    ["call", "com.atproto.repo.createRecord", "--paginate"],
                    Self.call + ["--items", "cursor=x"], Self.call + ["--limit-pages", "2"],
                    Self.call + ["--paginate", "-i"],
                ] {
                    let result = try await home.run(arguments)
                    #expect(result.status == 64 && result.output.isEmpty, "\(arguments)")
                }
            }
            #expect(requests.isEmpty)
        }
    }
}
