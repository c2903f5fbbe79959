import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Verified lists of records, and blobs")
    struct VerifyListTests {
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

        @Test(
            "lists the proven records of a file or an account, with their blobs, and nothing of a forged one",
            .covers("F14"))
        func list() async throws {
            try await writer.logIn("alice.test")
            for number in 1...3 {
                try await writer.succeed(
                    "call", "com.atproto.repo.putRecord", "--no-check", "collection=\(Self.collection)",
                    "rkey=key\(number)",
                    "record[text]=number \(number)")
            }
            let content = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) })
            let photo = writer.directory.appending(path: "photo.jpg")
            try content.write(to: photo)
            let blob = writer.directory.appending(path: "blob.json").path
            let uploaded = try await writer.succeed(
                "call", "com.atproto.repo.uploadBlob", "--input", photo.path, "--get", ".blob")
            try uploaded.output.write(to: URL(filePath: blob))
            try await writer.succeed(
                "call", "com.atproto.repo.putRecord", "collection=a.b.c", "rkey=photo", "--file",
                "record[image]:=\(blob)")
            let file = reader.directory.appending(path: "alice.car")
            let did = try #require(
                try await reader.succeed("resolve", "alice.test", "--json").json?["did"] as? String)
            try await sandbox.get("/xrpc/com.atproto.sync.getRepo?did=\(did)").write(to: file)
            let said = try await writer.succeed(
                "call", "com.atproto.repo.listRecords", "repo=\(did)", "collection=\(Self.collection)")
            let expected = try #require(said.json?["records"] as? [[String: Any]]).map {
                "\($0["uri"] ?? "") \($0["cid"] ?? "")"
            }
            let lines = try await reader.succeed("verify", file.path, "--list").text.split(separator: "\n")
                .map(String.init)
            #expect(lines.count == 4 && lines == lines.sorted())
            #expect(lines.filter { $0.contains(Self.collection) } == expected.sorted())
            let fetched = try await reader.succeed("verify", "alice.test", "--repo", "--list")
            #expect(fetched.text.split(separator: "\n").map(String.init) == lines)
            #expect(
                fetched.errors.hasSuffix(
                    "proven: the repository has exactly these records at this revision\n"))

            let json = try await reader.succeed("verify", file.path, "--list", "--json").text.split(
                separator: "\n"
            ).map(String.init)
            #expect(try await Schema.validate(json) == ["verify-list/1"])
            let blobs = json.filter { !$0.contains(#""blobs":[]"#) }
            let cid = try #require(blobs.first?.firstMatch(of: /"blobs":\["([^"]*)"\]/)?.1)
            #expect(blobs.count == 1 && blobs[0].contains("at://\(did)/a.b.c/photo"))

            let proven = try await reader.succeed("verify", String(cid), "--blob", photo.path, "--json")
            #expect(proven.json?["size"] as? Int == 1000)
            let piped = try await reader.succeed("verify", String(cid), "--blob", "-", input: content)
            #expect(piped.errors.hasSuffix("proven: the file is the blob with this CID\n"))
            for wrong in [content.dropLast(), content + [0], Data()] {
                let refused = try await reader.run(
                    "verify", String(cid), "--blob", "-", "--json", input: Data(wrong))
                #expect(
                    refused.status == 13 && refused.text.isEmpty && refused.errorLine?.code == "blob_differs")
            }

            var forged = try Data(contentsOf: file)
            forged[forged.count / 2] ^= 1
            try forged.write(to: file)
            let refused = try await reader.run("verify", file.path, "--list")
            #expect(refused.status == 13 && refused.text.isEmpty, "\(refused.errors)")
        }

        @Test("a list of one record, and a blob without its CID, are wrong command lines")
        func listUsage() async throws {
            let record = "bafyreib" + String(repeating: "a", count: 51)
            for (arguments, words) in [
                (["at://alice.test/a.b.c/d", "--list"], "for a whole repository"),
                (["x.car", "--list", "--get", ".did"], "not both"),
                (["alice.test", "--blob", "x"], "the CID of a blob"),
                ([record, "--blob", "x"], "the CID of a "),
                (
                    ["bafkreifvft4w5dmpv7lkllse7nsqx2qmfsmqjg4xuyln5tvm2tuphonmfq", "--blob", "/no/x"],
                    "can't be read"
                ),
                (["x", "--blob", "x", "--repo"], "takes no option about repositories"),
            ] {
                let refused = try await reader.run(["verify"] + arguments)
                #expect(refused.status == 64 && refused.errors.contains(words), "\(refused.errors)")
            }
        }
    }
}
