import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// `--get`, of a call and of the accounts.
    @Suite("The parts of a result")
    struct CallPartTests {
        private static let nsid = "com.atproto.server.getSession"

        private let sandbox: Sandbox
        private let home: Home

        init() async throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
            try await home.logIn("alice.test", "--label", "work")
        }

        private func answer(_ body: String, times: Int? = nil) async throws {
            try await sandbox.setFaults(
                Faults.answer(
                    Self.nsid, 200, headers: #"{"content-type":"application/json"}"#, body: body, times: times
                ))
        }

        private func get(_ path: String, _ options: String...) async throws -> Program.Result {
            try await home.run(["call", Self.nsid, "--get", path] + options)
        }

        @Test(
            "are strings without quotes, and all else as JSON with numbers as they came, one per line",
            .covers("X5"),
            arguments: [
                (".a", "text\n"), (".n", "12345678901234567890.50\n"), (".list[].t", "x\ny\n"),
                (".list[1]", "{\"t\":\"y\"}\n"), (".\"na.me\"", "true\n"), (".null", "null\n"),
                (".lines", "one\ntwo\n"), (".both[]", "\"one\\ntwo\"\nthree\n"), (".empty", "\n"),
                (".list", "[{\"t\":\"x\"},{\"t\":\"y\"},{}]\n"), (".ü", "é\n"),
            ])
        func parts(path: String, text: String) async throws {
            let body =
                #"{"a":"text","n":12345678901234567890.50,"list":[{"t":"x"},{"t":"y"},{}],"na.me":true,"#
                + #""null":null,"lines":"one\ntwo","both":["one\ntwo","three"],"empty":"","ü":"é"}"#
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/\#(Self.nsid)"},"action":{"raw_body":\#(quoted(body))}}]"#)
            let call = try await get(path)
            #expect(call.status == 0 && call.text == text, "\(call.errors)")
        }

        private func quoted(_ text: String) -> String {
            String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
        }

        @Test("that are not there are exit 1 and nothing else, and a bad path is 64 before anything is sent")
        func missing() async throws {
            let none = try await get(".nothing.here", "--json")
            #expect(none.status == 1 && none.output.isEmpty && none.errorLine?.code == "get_no_match")
            let requests = try await sandbox.requests {
                for options in [
                    [".a[", "--json"], ["a"], ["."], [".a", "-i"], [".a", "-o", "file"],
                    [".a", "--dry-run", "-i"],
                ] {
                    let call = try await home.run(["call", Self.nsid, "--get"] + options)
                    #expect(call.status == 64 && call.output.isEmpty, "\(options)")
                }
            }
            #expect(requests.isEmpty)
            try await sandbox.setFaults(
                Faults.answer(Self.nsid, 200, headers: #"{"content-type":"text/plain"}"#, body: #""plain""#))
            let text = try await get(".a", "--json")
            #expect(text.status == 1 && text.errorLine?.code == "get_not_json" && text.output.isEmpty)
        }

        @Test(
            "that are not there are named with what is there", .covers("F11"),
            arguments: [
                (".posts", "the response has nothing at .posts; it has: cursor, deep, feed"),
                (".feed.uri", ".feed is a list of 2, so the next step is [] or a number such as [0]"),
                (".feed[].urii", ".feed[] has: cid, uri"), (".feed[2]", ".feed is a list of 2"),
                (".cursor.x", ".cursor has no members"), (".deep.list[].x", ".deep.list is an empty list"),
            ])
        func names(path: String, words: String) async throws {
            let body = #"{"feed":[{"uri":1,"cid":2},{"uri":1,"cid":2}],"cursor":"c","deep":{"list":[]}}"#
            try await sandbox.setFaults(Faults.answer(Self.nsid, 200, body: body))
            let call = try await get(path)
            #expect(call.status == 1 && call.output.isEmpty)
            #expect(call.errors.contains(words), "\(call.errors)")
            #expect(
                call.errors.hasSuffix("\n  to see the whole response, leave out --get\n"), "\(call.errors)")
        }

        @Test("of a write that are not there never hide that it was carried out", .covers("F11"))
        func write() async throws {
            let create = ["call", "com.atproto.repo.createRecord", "collection=a.b.c", "record[t]=x"]
            let call = try await home.run(create + ["--get", ".urii"])
            #expect(call.status == 1 && call.output.isEmpty)
            let words =
                "com.atproto.repo.createRecord was carried out, but its response has nothing at .urii; it has: uri, cid"
            #expect(call.errors.contains(words), "\(call.errors)")
            #expect(call.errors.contains("\n  don't run the command again"), "\(call.errors)")
            #expect(!call.errors.contains("leave out"))
            let uri = try #require(call.errors.firstMatch(of: /the response: \{"uri":"([^"]*)"/)).1
            try await home.succeed("call", "com.atproto.repo.getRecord", String(uri))
        }

        @Test("of a procedure that may answer with a secret are not shown with the rest")
        func secret() async throws {
            let nsid = "com.atproto.server.createAppPassword"
            try await sandbox.setFaults(
                Faults.answer(nsid, 200, body: #"{"name":"x","password":"s3cret"}"#))
            let call = try await home.run("call", nsid, "name=x", "--get", ".pasword")
            #expect(call.status == 1 && call.errors.contains("it has: name, password"), "\(call.errors)")
            #expect(!call.errors.contains("s3cret"))
            try await sandbox.setFaults(
                Faults.answer(nsid, 200, headers: #"{"content-type":"text/plain"}"#, body: #""plain""#))
            let text = try await home.run("call", nsid, "name=x", "--get", ".password", "--json")
            #expect(text.status == 1 && text.errorLine?.code == "get_not_json", "\(text.errors)")
            #expect(text.errorLine?.hint?.hasPrefix("don't run the command again") == true)
        }

        @Test("are of successes alone")
        func refused() async throws {
            try await sandbox.setFaults(
                Faults.answer(Self.nsid, 400, body: #"{"error":"InvalidRequest","message":"no"}"#))
            let call = try await get(".error", "--json")
            #expect(call.status == 10 && call.output.isEmpty && call.errorLine?.code == "refused")
        }

        @Test("are of each item or each page; an item without the part is skipped")
        func pages() async throws {
            let list = "com.atproto.repo.listRecords"
            let call = ["call", list, "repo=alice.test", "collection=a.b.c", "limit=2"]
            let empty = try await home.run(call + ["--items", "--get", ".uri"])
            #expect(
                empty.status == 1 && empty.output.isEmpty && empty.errors.contains("the list has no items"))
            let noPage = try await home.run(call + ["--paginate", "--get", ".records[].uri"])
            #expect(
                noPage.status == 1 && noPage.errors.contains(".records is an empty list"), "\(noPage.errors)")
            let texts = [#"{"t":"a\nb"}"#, #"{}"#, #"{"t":"c"}"#]
            for (number, text) in texts.enumerated() {
                try await home.succeed(
                    "call", "com.atproto.repo.putRecord", "collection=a.b.c", "rkey=r\(number)",
                    "record:=\(text)")
            }
            let items = try await home.run(call + ["--items", "--get", ".value.t", "reverse:=true"])
            #expect(items.status == 0 && items.text == "\"a\\nb\"\nc\n", "\(items.errors)")
            let pages = try await home.run(
                call + ["--paginate", "--get", ".records[].value.t", "reverse:=true"])
            #expect(pages.text == "\"a\\nb\"\nc\n", "\(pages.errors)")
            let none = try await home.run(call + ["--items", "--get", ".nothing", "--json"])
            #expect(none.status == 1 && none.output.isEmpty && none.errorLine?.code == "get_no_match")
            let atPage = try await home.run(call + ["--items", "--get", ".records[].uri"])
            #expect(
                atPage.errors.contains(
                    "no item has anything at .records[].uri; with --items the path begins at an item, which has: uri, cid, value"
                ),
                "\(atPage.errors)")
        }

        @Test("are harmless on a terminal, and as they are in a pipe")
        func terminal() async throws {
            try await answer(#"{"a":"x\u001b[31my\u202ez\tw\nlast"}"#)
            let seen = try await home.runAtTerminal("call", Self.nsid, "--get", ".a", steps: [])
            #expect(
                seen.screen.contains("x\\u001b[31my\\u202ez\tw\r\nlast"), "\(seen.screen.debugDescription)")
            #expect(try await get(".a").text == "x\u{1b}[31my\u{202e}z\tw\nlast\n")
        }

        @Test("are of the accounts too, without --json")
        func accounts() async throws {
            try await home.logIn("bob.test")
            let handles = try await home.succeed("accounts", "--get", ".accounts[].handle")
            #expect(Set(handles.text.split(separator: "\n")) == ["alice.test", "bob.test"])
            let listed = try await home.succeed("accounts", "list", "--get", ".accounts[].label", "--json")
            #expect(Set(listed.text.split(separator: "\n")) == ["work", "null"])
            let current = try await home.succeed(
                "accounts", "current", "--get", ".account.handle", "-a", "work")
            #expect(current.text == "alice.test\n")
            let shown = try await home.succeed("accounts", "show", "work", "--get", ".account.state")
            #expect(shown.text == "ok\n")
            let none = try await home.run("accounts", "current", "--get", ".handle", "--json")
            #expect(none.status == 1 && none.errorLine?.code == "get_no_match" && none.output.isEmpty)
        }
    }
}
