import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// `bskyauth verify` with the repositories of the sandbox, which it signs with another library.
    @Suite("Verifying records")
    struct VerifyTests {
        private static let collection = "app.bsky.feed.post"
        private let sandbox: Sandbox
        /// Who writes the records.
        private let writer: Home
        /// Who verifies them: no vault and no key.
        private let reader: Home

        init() throws {
            sandbox = try Sandbox()
            writer = try Home(sandbox)
            reader = try Home(sandbox, key: [:])
        }

        private func uri(_ key: String) -> String { "at://alice.test/\(Self.collection)/\(key)" }

        /// Logs alice in, and writes posts with the keys `key1`, `key2` and so on.
        private func write(_ count: Int = 12, to home: Home? = nil, text: String = "number") async throws {
            let home = home ?? writer
            try await home.logIn("alice.test")
            for number in 1...count {
                try await home.succeed(
                    "call", "com.atproto.repo.putRecord", "--no-check", "collection=\(Self.collection)",
                    "rkey=key\(number)", "record[text]=\(text) \(number)",
                    "record[createdAt]=2026-11-27T12:00:00Z")
            }
        }

        /// Gives alice's repository a fault.
        private func fault(_ name: String?) async throws {
            let name = name.map { "\"\($0)\"" } ?? "null"
            try await sandbox.post("/_sandbox/repositories", #"{"handle":"alice.test","fault":\#(name)}"#)
        }

        /// The file of alice's repository.
        private func file() async throws -> URL {
            let did = try await reader.succeed("resolve", "alice.test", "--get", ".did").text
                .trimmingCharacters(in: .newlines)
            let file = reader.directory.appending(path: "alice.car")
            try await sandbox.get("/xrpc/com.atproto.sync.getRepo?did=\(did)").write(to: file)
            return file
        }

        // MARK: One record

        @Test("proves a record that was written, asks as nobody, and makes no vault", .covers("F14"))
        func proven() async throws {
            try await write()
            let requests = try await sandbox.requests {
                let result = try await reader.succeed("verify", uri("key3"))
                #expect(result.text.hasPrefix("uri ") && result.text.contains("\ncompared with  http"))
                #expect(result.errors.hasSuffix("proven: the repository has this record at this revision\n"))
            }
            let calls = requests.filter { $0.role == "pds" }
            #expect(calls.contains { $0.path == "/xrpc/com.atproto.sync.getRecord" })
            #expect(calls.contains { $0.path == "/xrpc/com.atproto.repo.getRecord" })
            #expect(requests.allSatisfy { $0.auth == nil && $0.proof == nil })
            #expect(!FileManager.default.fileExists(atPath: reader.vault.path))

            let json = try #require(try await reader.succeed("verify", uri("key3"), "--json").json)
            #expect(json["result"] as? String == "present" && json["absence"] is NSNull)
            let record = json["record"] as? [String: Any]
            #expect(record?["text"] as? String == "number 3")
            let said = try await writer.succeed("call", "com.atproto.repo.getRecord", uri("key3"))
            #expect(json["cid"] as? String == said.json?["cid"] as? String)
            #expect(json["compared_with"] as? String == sandbox.address)
        }

        @Test("exits with 6 for a record that is proven to be absent, unless that is expected")
        func absent() async throws {
            try await write()
            let absent = try await reader.run("verify", uri("nothing"), "--json")
            #expect(absent.status == 6 && absent.json?["absence"] as? String == "proven")
            #expect(absent.json?["cid"] is NSNull && absent.errors.contains(#""code":"record_absent""#))
            #expect(try await reader.run("verify", uri("nothing"), "--expect-absent").status == 0)
            let present = try await reader.run("verify", uri("key1"), "--expect-absent", "--json")
            #expect(present.status == 6 && present.errors.contains(#""code":"record_present""#))
            // Parts are printed only of what was expected.
            for line in [["verify", uri("nothing")], ["verify", uri("key1"), "--expect-absent"]] {
                let part = try await reader.run(line + ["--get", ".record"])
                #expect(part.status == 6 && part.text.isEmpty, "\(part.text)")
            }
            // Also in a repository that has nothing.
            #expect(try await reader.run("verify", "at://bob.test/a.b.c/d", "--expect-absent").status == 0)
        }

        @Test("names where a server redirects to, and does not follow", .covers("R62")) func redirect()
            async throws
        {
            try await write(1)
            let target = "http://127.0.0.1:9/alice.car"
            for (method, line) in [
                ("sync.getRepo", ["verify", "alice.test", "--repo"]),
                ("sync.getRecord", ["verify", uri("key1")]),
                ("repo.getRecord", ["verify", uri("key1")]),
                ("sync.getRecord", ["call", "com.atproto.repo.getRecord", uri("key1"), "--verify"]),
            ] {
                try await sandbox.setFaults(
                    #"[{"match":{"path":"/xrpc/com.atproto.\#(method)"},"action":{"respond":{"status":302,"#
                        + #""headers":{"location":"\#(target)"},"body":""}}}]"#)
                let result = try await (line[0] == "call" ? writer : reader).run(line)
                // The record is proven without what the server says of it.
                let isProven = method == "repo.getRecord"
                #expect(result.status == (isProven ? 0 : 10), "\(line): \(result.errors)")
                #expect(result.text.isEmpty != isProven)
                #expect(
                    result.errors.contains(
                        "answered com.atproto.\(method) with a redirect to \(target), which is not followed"),
                    "\(line): \(result.errors)")
                #expect(
                    isProven || result.errors.contains("curl -o FILE \(target)"),
                    "\(line): \(result.errors)")
            }
        }

        @Test(
            "refuses a proof with a fault, names the step, and prints nothing", .covers("F14"),
            arguments: [
                ("wrong_key", "proof_signature"), ("wrong_did", "proof_repository"),
                ("high_s", "proof_signature"), ("der", "proof_signature"),
                ("future_revision", "proof_revision"), ("non_canonical", "proof_commit"),
                ("missing_block", "proof_incomplete"), ("wrong_depth", "proof_tree"),
                ("unsorted_keys", "proof_tree"),
            ])
        func faults(name: String, code: String) async throws {
            try await write()
            try await fault(name)
            for line in [["verify", uri("key3")], ["verify", "alice.test", "--repo"]] {
                let result = try await reader.run(line + ["--json"])
                #expect(result.status == 13 && result.text.isEmpty, "\(result.text)")
                #expect(result.errors.contains(#""code":"\#(code)""#), "\(result.errors)")
            }
            // What the next step expects is what was expected.
            let deleted = try await reader.run("verify", uri("nothing"), "--expect-absent")
            #expect(deleted.status == 13 && deleted.errors.contains(" --expect-absent -v\n"))
            // With -v, the next step is another command.
            let shown = try await reader.run("verify", uri("nothing"), "--expect-absent", "-v")
            #expect(shown.status == 13 && shown.errors.hasSuffix(": bskyauth resolve alice.test --fresh\n"))
            #expect(!shown.errors.contains("bskyauth verify"), "\(shown.errors)")
            try await fault(nil)
            #expect(try await reader.run("verify", uri("key3")).status == 0)
        }

        @Test("takes no harm from a block that belongs to nothing, and counts it in a repository")
        func extraBlock() async throws {
            try await write()
            try await fault("extra_block")
            #expect(try await reader.run("verify", uri("key3")).status == 0)
            let whole = try await reader.succeed("verify", "alice.test", "--repo", "--json")
            #expect(whole.json?["unreferenced_blocks"] as? Int == 1)
            #expect(whole.errors.contains("blocks that do not belong to the repository: 1\n"))
        }

        @Test("says that a server tells something else than what its proof says")
        func otherRecord() async throws {
            try await write()
            try await fault("other_record")
            let result = try await reader.run("verify", uri("key3"), "--json")
            #expect(result.status == 13 && result.text.isEmpty)
            #expect(result.errors.contains(#""code":"record_altered""#), "\(result.errors)")
            // A repository that is signed is proven, whatever other methods say.
            #expect(try await reader.run("verify", "alice.test", "--repo").status == 0)
        }

        @Test("warns of a revision that is older than one that was verified before")
        func olderRevision() async throws {
            try await write()
            let new = try #require(try await reader.succeed("verify", uri("key3"), "--json").json)
            try await fault("older_revision")
            let old = try await reader.succeed("verify", uri("key3"), "--json")
            #expect(old.errors.contains("this is an older state: revision \(new["revision"] ?? "") of"))
            #expect(old.json?["newer_revision"] as? String == new["revision"] as? String)
            // That is no reason for silence.
            let quiet = try await reader.succeed("verify", uri("key3"), "-q")
            #expect(quiet.errors.contains("this is an older state"))
            let called = try await reader.succeed(
                "call", "com.atproto.repo.getRecord", uri("key3"), "--verify", "--anonymous", "--host",
                sandbox.address)
            #expect(called.errors.contains("this is an older state"))
            let other = try Home(sandbox, key: [:])
            #expect(try await !other.succeed("verify", uri("key3")).errors.contains("older state"))
        }

        @Test("says if a revision can't be remembered, and if two trees have one revision")
        func memory() async throws {
            try await write(2)
            let file = try await file()
            try await reader.succeed("verify", file.path)
            let folder = reader.directory.appending(path: ".local/state/bskyauth/revisions")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let name = try #require(names.count == 1 ? names.first : nil)
            let remembered = folder.appending(path: name)
            let text = try String(contentsOf: remembered, encoding: .utf8)
            let tree = try #require(text.firstMatch(of: /"data":"(bafyrei[a-z2-7]+)"/)).output.1
            let other = tree.dropLast(2) + (tree.hasSuffix("44") ? "aa" : "44")
            try text.replacing(tree, with: other).write(to: remembered, atomically: false, encoding: .utf8)
            let two = try await reader.succeed("verify", file.path, "--json")
            #expect(two.json?["contradicts_earlier"] as? Bool == true && two.errors.contains("contradicts"))
            try "{".write(to: remembered, atomically: false, encoding: .utf8)
            #expect(try await reader.succeed("verify", file.path).errors.contains("can't be remembered"))
            #expect(try await !reader.succeed("verify", file.path).errors.contains("can't be remembered"))
            let nowhere = try await reader.run(
                "verify", file.path, environment: ["XDG_STATE_HOME": "/proc/nothing"])
            #expect(nowhere.status == 0 && nowhere.errors.contains("can't be remembered"))
        }

        @Test("asks twice before it says that a server contradicts its proof")
        func writtenMeanwhile() async throws {
            try await write(2)
            let once =
                #"[{"match":{"path":"/xrpc/com.atproto.repo.getRecord"},"times":1,"#
                + #""action":{"amend":{"set":{"/value/text":"written meanwhile"}}}}]"#
            try await sandbox.setFaults(once)
            #expect(try await reader.run("verify", uri("key1")).status == 0)
            try await sandbox.setFaults(once)
            let line = ["call", "com.atproto.repo.getRecord", uri("key1"), "--verify"]
            let called = try await writer.run(line)
            #expect(called.status == 0 && called.text.contains("number 1"), "\(called.errors)")
            for change in [#""/uri":"at://alice.test/a.b.c/d""#, #""/cid":"bafyother""#] {
                try await sandbox.setFaults(
                    #"[{"match":{"path":"/xrpc/com.atproto.repo.getRecord"},"action":{"amend":{"set":{\#(change)}}}}]"#
                )
                let altered = try await reader.run("verify", uri("key1"), "--json")
                #expect(altered.status == 13 && altered.errors.contains("record_altered"))
            }
        }

        // MARK: Other servers

        @Test("asks the server of --from, and proves what it gives with the account's own key")
        func mirror() async throws {
            try await write()
            let mirror = try Sandbox()
            // The mirror has the same account with other records and with another key.
            let forger = try Home(mirror)
            try await write(to: forger, text: "made up")
            let forged = try await reader.run("verify", uri("key3"), "--from", mirror.address, "--json")
            #expect(forged.status == 13 && forged.errors.contains("proof_signature"), "\(forged.errors)")
            // The mirror gives no proofs, as an app view, and says what the account's server does not prove.
            try await mirror.setFaults(
                Faults.answer(
                    "com.atproto.sync.getRecord", 501, body: #"{"error":"MethodNotImplemented"}"#))
            let differs = try await reader.run("verify", uri("key3"), "--from", mirror.address, "--json")
            #expect(differs.status == 13 && differs.errors.contains("record_altered"), "\(differs.errors)")
            try await forger.succeed(
                "call", "com.atproto.repo.putRecord", "--no-check", "collection=\(Self.collection)",
                "rkey=invented",
                "record[text]=made up", "record[createdAt]=2026-11-27T12:00:00Z")
            let invented = try await reader.run("verify", uri("invented"), "--from", mirror.address, "--json")
            #expect(invented.status == 13 && invented.errors.contains("record_invented"))
            try await forger.succeed("call", "com.atproto.repo.deleteRecord", uri("key4"))
            let withheld = try await reader.run("verify", uri("key4"), "--from", mirror.address, "--json")
            #expect(withheld.status == 13 && withheld.errors.contains("record_withheld"))
            #expect(
                try await reader.run("verify", uri("none"), "--from", mirror.address, "--expect-absent")
                    .status
                    == 0)
            // The mirror says what is proven.
            try await forger.succeed(
                "call", "com.atproto.repo.putRecord", "--no-check", "collection=\(Self.collection)",
                "rkey=key3",
                "record[text]=number 3", "record[createdAt]=2026-11-27T12:00:00Z")
            let same = try await reader.succeed("verify", uri("key3"), "--from", mirror.address, "--json")
            #expect(same.json?["source"] as? String == sandbox.address)
            #expect(same.json?["compared_with"] as? String == mirror.address)
            // The app view of Bluesky has no name for the error, and says it in words.
            try await mirror.setFaults(
                #"[{"match":{"path":"/xrpc/com.atproto.sync.getRecord"},"action":{"respond":{"status":404,"body":""}}},"#
                    + #"{"match":{"path":"/xrpc/com.atproto.repo.getRecord"},"action":{"respond":{"status":400,"body":"#
                    + #"{"error":"InvalidRequest","message":"Could not locate record: at://…"}}}}]"#)
            #expect(try await reader.run("verify", uri("key3"), "--from", mirror.address).status == 13)
            #expect(try await reader.run("verify", uri("none"), "--from", mirror.address).status == 6)
            // The mirror is a website, whose pages are no proofs.
            for method in ["sync", "repo"] {
                try await mirror.setFaults(
                    #"[{"match":{"path":"/xrpc/com.atproto.\#(method).getRecord"},"action":{"respond":{"status":200,"#
                        + #""headers":{"content-type":"text/html"},"body":"\n<!doctype html>"}}}]"#)
                let page = try await reader.run(
                    "verify", uri("key3"), "--from", mirror.address, "--json")
                let isProof = method == "sync"
                #expect(!isProof || page.status == 11 && page.errorLine?.code == "web_page", "\(page.errors)")
                #expect(isProof || page.status != 0, "\(page.errors)")
            }
            // The mirror says nothing at all, so nothing of it is checked.
            try await mirror.setFaults(
                #"[{"match":{"path_prefix":"/xrpc/"},"action":{"respond":{"status":503,"body":""}}}]"#)
            let silent = try await reader.run("verify", uri("key3"), "--from", mirror.address)
            #expect(silent.status == 11 && silent.text.isEmpty, "\(silent.errors)")
        }

        @Test("a server that can't be asked is not a failed proof")
        func notAsked() async throws {
            try await write(1)
            let method = "com.atproto.sync.getRecord"
            for (status, body, expected) in [
                (501, #"{"error":"MethodNotImplemented"}"#, 10),
                (500, #"{"error":"InternalServerError"}"#, 11),
                (503, #""""#, 11), (429, #"{"error":"RateLimitExceeded"}"#, 9),
                (400, #"{"error":"RepoTakendown"}"#, 10), (400, #"{"error":"RepoNotFound"}"#, 10),
                (200, #""""#, 12),
            ] {
                try await sandbox.setFaults(Faults.answer(method, status, body: body))
                let result = try await reader.run("verify", uri("key1"))
                #expect(result.status == expected && result.text.isEmpty, "\(status): \(result.errors)")
            }
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/\#(method)"},"action":{"body_bytes":5000000}}]"#)
            let long = try await reader.run("verify", uri("key1"), "--json")
            #expect(long.status == 12 && long.errors.contains(#""code":"too_large""#), "\(long.errors)")
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/\#(method)"},"action":{"drop":"before"}}]"#)
            #expect(try await reader.run("verify", uri("key1")).status == 12)
            // What can't be compared is proven nevertheless.
            try await sandbox.setFaults(
                Faults.answer("com.atproto.repo.getRecord", 500, body: #"{"error":"InternalServerError"}"#))
            let alone = try await reader.succeed("verify", uri("key1"), "--json")
            #expect(alone.json?["compared_with"] is NSNull && alone.errors.contains("not compared with"))
        }

        @Test("says what is wrong with the account itself")
        func accounts() async throws {
            try await write(1)
            try await sandbox.setFaults(
                #"[{"match":{"role":"plc"},"action":{"amend":{"remove":["/verificationMethod"]}}}]"#)
            let keyless = try await reader.run("verify", uri("key1"), "--json")
            #expect(keyless.status == 12 && keyless.errors.contains("no_signing_key"), "\(keyless.errors)")
            try await sandbox.setFaults("[]")
            try await sandbox.setActive(false, "alice.test")
            let did = "did:plc:qerzt44y65a3ev3ptbsiyw4u"
            let inactive = try await reader.run("verify", "at://\(did)/\(Self.collection)/key1", "--json")
            #expect(inactive.status == 10 && inactive.errors.contains("account_deactivated"))
            try await sandbox.setActive(true, "alice.test")
            try await sandbox.post(
                "/_sandbox/accounts/update", #"{"handle":"alice.test","tombstoned":true}"#)
            #expect(try await reader.run("verify", "at://\(did)/\(Self.collection)/key1").status == 6)
            #expect(try await reader.run("verify", did, "--repo").status == 6)
            #expect(try await reader.run("verify", "at://nobody.test/a.b.c/d").status == 6)
        }

        // MARK: Whole repositories

        @Test("checks a whole repository from the server, from a file and from a pipe")
        func repository() async throws {
            try await write(40)
            let file = try await file()
            let lines = [
                try await reader.succeed("verify", "alice.test", "--repo", "--json"),
                try await reader.succeed("verify", "at://alice.test", "--repo", "--json"),
                try await reader.succeed("verify", "@alice.test", "--repo", "--json"),
                try await reader.succeed("verify", file.path, "--json"),
                try await reader.run("verify", "-", "--json", input: try Data(contentsOf: file)),
            ]
            for result in lines {
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.json?["records"] as? Int == 40 && result.json?["invalid_records"] as? Int == 0)
                #expect(result.json?["unreferenced_blocks"] as? Int == 0)
            }
        }

        @Test("refuses a file in which anything was changed", .covers("F14"))
        func tampered() async throws {
            try await write()
            let content = try Data(contentsOf: try await file())
            for position in stride(from: 0, to: content.count, by: 41) {
                var changed = content
                changed[position] ^= 0x10
                let result = try await reader.run("verify", "-", "--json", input: changed)
                // A commit that names another account leads to no account.
                let isOfNobody = result.errors.contains("identity_not_found")
                #expect(result.status == (isOfNobody ? 6 : 13), "\(position): \(result.errors)")
                #expect(result.text.isEmpty)
            }
            for length in [1, 50, content.count - 1] {
                let result = try await reader.run("verify", "-", input: content.prefix(length))
                #expect(result.status == 13 && result.text.isEmpty, "\(length): \(result.errors)")
            }
        }

        @Test("takes an earlier key only if that is allowed")
        func earlierKey() async throws {
            try await write()
            let file = try await file()
            try await sandbox.post(
                "/_sandbox/accounts/update", #"{"handle":"alice.test","rotate_signing_key":true}"#)
            let refused = try await reader.run("verify", file.path, "--json")
            #expect(refused.status == 13 && refused.text.isEmpty)
            #expect(refused.errors.contains(#""code":"past_key""#), "\(refused.errors)")
            let allowed = try await reader.succeed("verify", file.path, "--allow-past-keys", "--json")
            let key = allowed.json?["key"] as? [String: Any]
            #expect(key?["is_current"] as? Bool == false && key?["until"] is String)
            #expect(allowed.errors.contains("not with the present key"))
            // What the server signs now is signed with the present key.
            #expect(try await reader.run("verify", uri("key3")).status == 0)
            try await fault("earlier_key")
            #expect(try await reader.run("verify", uri("key3")).status == 13)
            #expect(try await reader.run("verify", uri("key3"), "--allow-past-keys").status == 0)
            // What an earlier key signed is no measure for what the present key signs.
            try await fault(nil)
            #expect(try await !reader.succeed("verify", uri("key3")).errors.contains("older state"))
            // Without the directory's log, the present key alone counts.
            try await sandbox.setFaults(
                #"[{"match":{"role":"plc"},"skip":1,"action":{"respond":{"status":503,"body":""}}}]"#)
            let unknown = try await reader.run("verify", file.path, "--json")
            #expect(unknown.status == 13 && unknown.errors.contains("proof_signature"), "\(unknown.errors)")
            try await sandbox.setFaults(
                #"[{"match":{"role":"plc"},"skip":1,"action":{"respond":{"status":503,"body":""}}}]"#)
            let asked = try await reader.run("verify", file.path, "--allow-past-keys")
            #expect(asked.status == 12 && asked.text.isEmpty, "\(asked.errors)")
        }

        @Test("takes no commit of an earlier key that was made after it", .enabled(if: Later.isPossible))
        func outlivedKey() async throws {
            try await write(2)
            try await sandbox.post(
                "/_sandbox/accounts/update", #"{"handle":"alice.test","rotate_signing_key":true}"#)
            try await sandbox.advanceClock("10m")
            try await write(1)
            try await fault("earlier_key")
            let line = ["verify", uri("key1"), "--allow-past-keys", "--json"]
            let result = try await reader.run(line, environment: Later.anHour)
            #expect(result.status == 13 && result.text.isEmpty)
            #expect(result.errors.contains(#""code":"outlived_key""#), "\(result.errors)")
        }

        @Test("takes a file only of the account that --of names, and no file that is empty")
        func owner() async throws {
            try await write(2)
            let file = try await file()
            #expect(try await reader.run("verify", file.path, "--of", "alice.test").status == 0)
            let others = try await reader.run("verify", file.path, "--of", "bob.test", "--json")
            #expect(others.status == 13 && others.text.isEmpty)
            #expect(others.errors.contains(#""code":"proof_repository""#), "\(others.errors)")
            let empty = try await reader.run("verify", "-", "--json", input: Data())
            #expect(empty.status == 1 && empty.errors.contains(#""code":"empty_file""#))
        }

        // MARK: Calls

        @Test("call --verify prints what is proven, and nothing else", .covers("F14"))
        func call() async throws {
            try await write()
            let line = ["call", "com.atproto.repo.getRecord", uri("key3"), "--verify"]
            let record = try #require(try await writer.run(line).json)
            #expect(
                record["uri"] as? String == "at://did:plc:qerzt44y65a3ev3ptbsiyw4u/\(Self.collection)/key3")
            let anonymous = ["--anonymous", "--host", sandbox.address]
            #expect(try await reader.run(line + anonymous).json?["value"] is [String: Any])
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/com.atproto.repo.getRecord"},"action":{"amend":{"set":{"/value/text":"made up"}}}}]"#
            )
            for (home, line) in [(writer, line), (reader, line + anonymous)] {
                let refused = try await home.run(line)
                #expect(refused.status == 13 && refused.text.isEmpty, "\(refused.errors)")
            }
            #expect(try await writer.run(line.dropLast()).text.contains("made up"))
            // Also that there is no record is believed only with a proof.
            try await sandbox.setFaults(
                Faults.answer(
                    "com.atproto.repo.getRecord", 400, body: #"{"error":"RecordNotFound","message":"none"}"#))
            let withheld = try await writer.run(line + ["-i", "--json"])
            #expect(withheld.status == 13 && withheld.text.isEmpty, "\(withheld.text)")
            #expect(withheld.errors.contains("record_withheld"))
            try await sandbox.setFaults("[]")
            let none = ["call", "com.atproto.repo.getRecord", uri("nothing"), "--verify", "--json"]
            let absent = try await writer.run(none)
            #expect(absent.status == 6 && absent.errors.contains("record_absent"), "\(absent.errors)")
            for wrong in [
                ["call", "app.bsky.feed.getTimeline", "--verify"],
                ["call", "com.atproto.repo.getRecord", "repo=alice.test", "--verify", "--no-check"],
                line + ["cid=bafyrei"],
            ] { #expect(try await writer.run(wrong).status == 64) }
        }

        // MARK: Command lines

        @Test("refuses a command line that means nothing, and sends nothing")
        func usage() async throws {
            let requests = try await sandbox.requests {
                for line in [
                    ["verify"], ["verify", "alice.test"], ["verify", "at://alice.test/a.b.c"],
                    ["verify", "at://alice.test/nonsense/d"], ["verify", "nothing.car"],
                    ["verify", "nothing.car", "--from", sandbox.address],
                    ["verify", "alice.test", "--repo", "--expect-absent"],
                    ["verify", "at://alice.test/a.b.c/d", "--from", "nonsense"],
                    ["verify", "no name", "--repo"], ["verify", "@alice.test"], ["verify", ""],
                    ["verify", "bsky.app/profile/alice.test"], ["verify", "https://example.com/x"],
                    ["verify", "alice.test", "--repo", "--of", "alice.test"],
                ] {
                    let result = try await reader.run(line)
                    #expect(result.status == 64 && result.text.isEmpty, "\(line): \(result.errors)")
                }
            }
            #expect(requests.isEmpty)
        }
    }
}
