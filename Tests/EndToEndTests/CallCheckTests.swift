import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// What is refused before it is sent, and what is said about a call that is sent.
    @Suite("A call that the lexicons speak against")
    struct CallCheckTests {
        private let sandbox: Sandbox
        private let home: Home

        init() async throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
            try await home.logIn("alice.test")
        }

        @Test("a record that no app could show is refused with the way to the fault, and --no-check sends it")
        func records() async throws {
            try await sandbox.resetJournal()
            let create = ["call", "com.atproto.repo.createRecord", "collection=app.bsky.feed.post"]
            let image = [
                "record[text]=a", "record[embed][$type]=app.bsky.embed.images",
                "record[embed][images][0][image][$type]=blob",
            ]
            let refused = try await home.run(create + image + ["--json"])
            #expect(refused.status == 64 && refused.errorLine?.code == "invalid_record", "\(refused.errors)")
            #expect(
                refused.errorLine?.message.contains("record[embed][images][0][alt] is missing") == true,
                "\(refused.errors)")
            let hint = try #require(
                refused.errorLine?.hint?.split(separator: "bskyauth help ").last?.prefix { $0 != ")" })
            #expect(
                try await home.succeed("help", String(hint)).text.contains(
                    "app.bsky.feed.post is a collection"))
            #expect(try await sandbox.requests().isEmpty)
            let languages = create + ["record[text]=a", "record[langs]=en"]
            let list = try await home.run(languages + ["--json"])
            #expect(
                list.errorLine?.message == "record[langs] has to be a list, and is text", "\(list.errors)")
            #expect(list.errorLine?.hint?.hasPrefix("an item NAME:=JSON") == true)
            let sent = try await home.run(languages + ["--no-check"])
            #expect(sent.status == 0, "\(sent.errors)")
            // The key of such a record is always the same.
            let key = try await home.run(
                "call", "com.atproto.repo.createRecord", "collection=app.bsky.actor.profile",
                "record[displayName]=A",
                "--json")
            #expect(key.status == 64 && key.errorLine?.message == "rkey has to be self", "\(key.errors)")
            // Also with --retry, whose own hint would name a key.
            let retried = try await home.run(
                "call", "com.atproto.repo.createRecord", "collection=app.bsky.actor.profile",
                "record[displayName]=A", "--retry", "3", "--json")
            #expect(retried.errorLine?.hint?.contains("rkey=self --retry 3") == true, "\(retried.errors)")
            let line = try #require(key.errorLine?.hint)
            #expect(line.hasPrefix("bskyauth call com.atproto.repo.putRecord "), "\(line)")
            func follow(_ name: String) async throws -> Program.Result {
                let words = line.replacing("bskyauth ", with: "\"$0\" ", maxReplacements: 1)
                    .replacing(#""displayName":"A""#, with: #""displayName":"\#(name)""#)
                return try await Program.run(
                    "/bin/sh", ["-c", words, Paths.program], environment: home.environment,
                    directory: home.directory)
            }
            let first = try await follow("A")
            #expect(first.status == 0, "\(first.errors)")
            // It never replaces a profile that is there.
            let second = try await follow("B")
            #expect(second.status != 0 && second.errors.contains("InvalidSwap"), "\(second.errors)")
        }

        @Test("a body of --input is checked and sent byte for byte, and a long one is sent unchecked")
        func files() async throws {
            let create = ["call", "com.atproto.repo.createRecord", "--input"]
            func body(_ members: String, spaces: Int = 0) -> Data {
                let json =
                    #"{"repo":"alice.test", "collection":"app.bsky.feed.post","record":{"text":"a"\#(members)}}"#
                return Data((json + String(repeating: " ", count: spaces)).utf8)
            }
            let file = home.directory.appending(path: "body.json")
            let wrong = body(#","langs":"en""#)
            try wrong.write(to: file)
            let refused = try await sandbox.requests {
                for (arguments, input) in [(create + [file.path], nil), (create + ["-"], wrong)] {
                    let result = try await home.run(arguments + ["--json"], input: input)
                    #expect(result.status == 64 && result.errorLine?.code == "invalid_record")
                    #expect(result.errorLine?.message.contains("record[langs] has to be a list") == true)
                }
                let shown = try await home.run(create + [file.path, "--dry-run", "--json"])
                #expect(shown.errorLine?.code == "invalid_record", "\(shown.errors)")
            }
            #expect(refused.isEmpty)
            let fine = body(#","createdAt":"2026-01-02T03:04:05Z""#)
            for (arguments, input) in [
                (create + ["-"], fine), (create + [file.path, "--no-check"], nil),
                (create + ["-", "--no-check"], wrong),
            ] {
                let requests = try await sandbox.requests {
                    let result = try await home.run(arguments, input: input)
                    #expect(result.status == 0, "\(result.errors)")
                }
                let carriedOut = requests.filter { $0.status == 200 }.map(\.path)
                #expect(carriedOut == ["/xrpc/com.atproto.repo.createRecord"])
            }
            // The server refuses it, because it takes no JSON of this length.
            let long = try await home.run(create + ["-"], input: body(#","langs":"en""#, spaces: 1 << 20))
            #expect(long.status == 10 && long.errors.contains("PayloadTooLarge"), "\(long.errors)")
            // The key of such a record is always the same.
            try Data(#"{"repo":"alice.test","collection":"app.bsky.actor.profile","record":{}}"#.utf8).write(
                to: file)
            let profile = try await home.run(create + [file.path, "--json"])
            #expect(profile.errorLine?.message == "rkey has to be self", "\(profile.errors)")
            #expect(
                profile.errorLine?.hint
                    == "add \"rkey\": \"self\" and \"swapRecord\": null to the body, then: "
                    + "bskyauth call com.atproto.repo.putRecord --input \(file.path)")
        }

        @Test(
            "is refused before anything is sent if a parameter is missing or of the wrong type",
            .covers("F10"),
            arguments: [
                ("com.atproto.repo.getRecord repo=alice.test rkey=self", "missing_parameter", "collection"),
                (
                    "com.atproto.repo.listRecords repo=alice.test collection=a.b.c limit=five",
                    "wrong_parameter", "limit"
                ),
                (
                    "com.atproto.repo.listRecords --items repo=alice.test collection=a.b.c reverse=1",
                    "wrong_parameter", "reverse"
                ),
                ("com.atproto.repo.describeRepo --anonymous", "missing_parameter", "repo"),
                ("com.atproto.repo.describeRepo --dry-run", "missing_parameter", "repo"),
                ("com.atproto.repo.describeRepo -i --http-timeout 9s", "missing_parameter", "repo"),
                ("app.bsky.actor.getProfile --appview", "missing_parameter", "actor"),
            ])
        func refused(line: String, code: String, parameter: String) async throws {
            let requests = try await sandbox.requests {
                let call = try await home.run(
                    ["call"] + line.split(separator: " ").map(String.init) + ["--json"])
                #expect(call.status == 64 && call.output.isEmpty, "\(call.errors)")
                let error = try #require(call.errorLine)
                #expect(error.code == code && error.message.contains("\"\(parameter)\""), "\(error.message)")
                #expect(error.hint?.contains("(bskyauth help ") == true && !error.retryable)
            }
            #expect(requests.isEmpty)
        }

        @Test(
            "is sent with --no-check, and where the lexicons don't count",
            arguments: [
                ["--no-check"], ["--host"], ["--proxy", "did:web:feeds.example.com#bsky_fg"],
                ["-X", "procedure"],
            ])
        func unchecked(options: [String]) async throws {
            let requests = try await sandbox.requests {
                let own = options == ["--host"] ? ["--host", sandbox.address] : options
                let call = try await home.run(["call", "com.atproto.repo.describeRepo"] + own)
                #expect(call.status != 64, "\(call.errors)")
            }
            #expect(requests.map(\.path).contains("/xrpc/com.atproto.repo.describeRepo"))
        }

        @Test("is sent and said once if the lexicons have no such parameter")
        func unknownParameter() async throws {
            let words =
                "getTimeline has no parameter \"limt\" in the lexicons of August 2026; did you mean \"limit\"?"
            let nsid = "app.bsky.feed.getTimeline"
            try await sandbox.setFaults(
                Faults.answer(nsid, 400, body: #"{"error":"InvalidRequest","message":"Unexpected limt"}"#))
            let requests = try await sandbox.requests {
                let call = try await home.run("call", nsid, "limt=5")
                let lines = call.errors.split(separator: "\n").map(String.init)
                #expect(call.status == 10)
                #expect(lines.count { $0.hasSuffix("sent anyway: \(words)") } == 1, "\(call.errors)")
                #expect(lines.last == "  bskyauth help \(nsid)", "\(call.errors)")
                let quiet = try await home.run("call", nsid, "limt=5", "-q")
                #expect(quiet.errors.hasSuffix("\n  \(words)\n"), "\(quiet.errors)")
                // A script has it once, in the error.
                let script = try await home.run("call", nsid, "limt=5", "--json", "-q")
                #expect(script.errorLine?.hint == words && script.errorLine?.code == "refused")
                #expect(script.errors.split(separator: "\n").count == 1)
            }
            #expect(requests.filter { $0.query == "limt=5" }.count == 3)
            try await sandbox.setFaults(Faults.answer(nsid, 200, body: #"{"feed":[]}"#))
            let fine = try await home.succeed("call", nsid, "limt=5")
            #expect(fine.text == #"{"feed":[]}"# && fine.errors.contains(words))
            for silent in ["--quiet", "--json", "--no-check"] {
                #expect(try await !home.succeed("call", nsid, "limt=5", silent).errors.contains("limt"))
            }
        }

        @Test("what is probably wrong in a record is said to be sent, and is in the JSON of --dry-run")
        func doubts() async throws {
            let create = ["call", "com.atproto.repo.createRecord", "collection=app.bsky.feed.post"]
            let words = "record[langz] is not known; did you mean langs?"
            let post = create + ["record[text]=a", "record[langz][]=en"]
            let sent = try await home.run(post)
            #expect(sent.status == 0 && sent.errors.contains("sent anyway: \(words)\n"), "\(sent.errors)")
            let shown = try await home.run(post + ["--dry-run"])
            #expect(shown.errors.contains(words) && !shown.errors.contains("sent"), "\(shown.errors)")
            let json = try await home.run(post + ["--dry-run", "--json"])
            #expect(json.json?["warnings"] as? [String] == [words] && json.errors.isEmpty, "\(json.errors)")
            let misspelt = try await home.run(
                "call", "com.atproto.repo.createRecord", "collection=app.bsky.feed.psot", "record[text]=a")
            #expect(
                misspelt.errors.contains("sent anyway: there is no collection app.bsky.feed.psot"),
                "\(misspelt.errors)")
        }

        @Test("100 calls with a parameter that a newer lexicon could have are sent")
        func newer() async throws {
            let requests = try await sandbox.requests {
                // One program after the other, as a script does it.
                let script = #"""
                    for n in $(seq 100); do
                        "$0" call com.atproto.server.describeServer "newer$n=x" --anonymous -q >/dev/null || exit 1
                    done
                    """#
                let result = try await Program.run(
                    "/bin/bash", ["-c", script, Paths.program], environment: home.environment,
                    directory: home.directory)
                #expect(result.status == 0, "\(result.errors)")
            }
            #expect(Set(requests.compactMap(\.query)) == Set((1...100).map { "newer\($0)=x" }))
        }

        @Test("ends a script's loop over exit code 11 if the server does not know the method", .covers("X6"))
        func retryLoop() async throws {
            let script = #"""
                tries=0
                while :; do
                    tries=$((tries + 1))
                    "$0" call app.bsky.feed.getTimelin --json 2>error && break
                    status=$?
                    [ $status -eq 11 ] && [ $tries -lt 5 ] || break
                done
                echo $tries $status; tail -n 1 error
                """#
            let unknown = #"{"error":"MethodNotImplemented","message":"Method Not Implemented"}"#
            try await sandbox.setFaults(Faults.answer("app.bsky.feed.getTimelin", 501, body: unknown))
            let result = try await Program.run(
                "/bin/bash", ["-c", script, Paths.program], environment: home.environment,
                directory: home.directory)
            let lines = result.text.split(separator: "\n", maxSplits: 1).map(String.init)
            #expect(lines.first == "1 10", "\(result.text)")
            #expect(lines.last?.contains(#""code":"unknown_method""#) == true)
            #expect(lines.last?.contains(#""retryable":false"#) == true)
            let question = "; did you mean app.bsky.feed.getTimeline?"
            #expect(lines.last?.contains(question) == true, "\(result.text)")
        }

        @Test("a 501 that is a page may pass, and a method that the lexicons have is not asked for")
        func page() async throws {
            let nsid = "com.atproto.server.getSession"
            try await sandbox.setFaults(Faults.answer(nsid, 501, body: #""<html>Not Implemented</html>""#))
            let page = try await home.run("call", nsid, "--json")
            #expect(page.status == 11 && page.errorLine?.retryable == true, "\(page.errors)")
            #expect(!page.errors.contains("did you mean"))
        }
    }
}
