import Foundation
import Testing

@testable import SandboxNetwork

@Suite("Signed repositories")
struct RepositoryTests {
    @Test("every write makes a commit with a higher revision", arguments: ServerProfile.all.map(\.name))
    func commits(server: String) async throws {
        let profile = try #require(ServerProfile.all.first { $0.name == server })
        try await withRepository(0, profile: profile) { carol in
            var last = try await carol.latestCommit()
            let empty = try await carol.repository()
            #expect(empty.root.text == last["cid"]?.string)
            var reader = empty
            #expect(try reader.records().isEmpty)
            for (method, text) in [
                ("createRecord", "one"), ("putRecord", "two"), ("putRecord", "two"), ("deleteRecord", nil),
            ] {
                let answer = try await carol.write(method, "key", text: text)
                let commit = try #require(answer.json["commit"])
                #expect(commit["rev"]?.string ?? "" > last["rev"]?.string ?? "")
                #expect(commit == (try await carol.latestCommit()))
                last = commit
                var proof = try await carol.proof(of: "key")
                #expect(proof.root.text == commit["cid"]?.string)
                let record = try proof.record("app.bsky.feed.post/key")
                #expect(record?["text"]?.text == text)
                #expect(proof.unused.isEmpty)
                guard let record else { continue }
                let cid = ContentIdentifier(ofBlock: record.encoded).text
                #expect(answer.json["cid"]?.string == cid)
                #expect(try await carol.record("key")["cid"]?.string == cid)
            }
            var emptied = try await carol.repository()
            let first = try reader.commitParts().commit["data"]?.link
            #expect(try emptied.commitParts().commit["data"]?.link == first)
        }
    }

    @Test("a record is replaced only if it is the one that swapRecord names, or is the same") func swaps()
        async throws
    {
        try await withRepository(0) { carol in
            #expect(
                try await carol.write("putRecord", "key", text: "one", swapping: .string("bafkrei")).status
                    == 400)
            let first = try await carol.write("putRecord", "key", text: "one", swapping: .null)
            let cid = try #require(first.json["cid"]?.string)
            let refused = try await carol.write("putRecord", "key", text: "two", swapping: .null)
            #expect(refused.status == 400 && refused.json["error"]?.string == "InvalidSwap")
            #expect(refused.json["message"]?.string == "Record was at \(cid)")
            #expect(try await carol.record("key")["cid"]?.string == cid)
            #expect(try await carol.write("putRecord", "key", text: "one", swapping: .null).status == 200)
            #expect(
                try await carol.write("putRecord", "key", text: "two", swapping: .string(cid)).status == 200)
        }
    }

    @Test("a new record does not replace one that is there, and the server does not say why") func taken()
        async throws
    {
        try await withRepository(1) { carol in
            let before = try await carol.latestCommit()
            for text in ["other", "number 0"] {
                let refused = try await carol.write("createRecord", "key0", text: text)
                #expect(refused.status == 500 && refused.error == "InternalServerError", "\(refused.text)")
                #expect(refused.json["message"] == "Internal Server Error")
            }
            #expect(try await carol.record("key0")["value"]?["text"] == "number 0")
            #expect(try await carol.latestCommit() == before)
            #expect(try await carol.write("deleteRecord", "key0").status == 200)
            #expect(try await carol.write("createRecord", "key0", text: "other").status == 200)
        }
    }

    @Test(
        "a write that names the commit before it is refused if there is another",
        arguments: [
            ("createRecord", "new"), ("putRecord", "key0"), ("deleteRecord", "key0"),
        ])
    func swapsCommit(method: String, key: String) async throws {
        try await withRepository(1) { carol in
            func write(_ commit: JSONValue?) async throws -> WireAnswer {
                var input: JSONValue = [
                    "repo": .string(RepositoryClient.did), "collection": "com.example.note",
                    "rkey": .string(key),
                    "swapCommit": commit ?? .null,
                ]
                if method != "deleteRecord" { input.set(["text": "a"], at: "/record") }
                return try await carol.client.call(
                    "POST", "com.atproto.repo.\(method)", carol.token, body: input)
            }
            let before = try await carol.latestCommit()
            #expect(try await carol.write("putRecord", "other", text: "a").status == 200)
            let now = try await carol.latestCommit()
            let refused = try await write(before["cid"])
            #expect(refused.status == 400 && refused.error == "InvalidSwap")
            #expect(refused.json["message"]?.string == "Commit was at \(now["cid"]?.string ?? "")")
            #expect(try await write(now["cid"]).status == 200)
        }
    }

    @Test("the whole repository and every proof have the same records and the same commit")
    func proofs() async throws {
        try await withRepository(60) { carol in
            var whole = try await carol.repository()
            let records = try whole.records()
            #expect(records.count == 60 && whole.unused.isEmpty)
            for number in 0..<60 {
                var proof = try await carol.proof(of: "key\(number)")
                #expect(proof.root == whole.root)
                let record = try proof.record("app.bsky.feed.post/key\(number)")
                #expect(record?["text"]?.text == "number \(number)")
                #expect(proof.unused.isEmpty && proof.blocks.count < 20)
            }
            for missing in ["a", "key100", "zzz"] {
                var proof = try await carol.proof(of: missing)
                #expect(try proof.record("app.bsky.feed.post/\(missing)") == nil)
                #expect(proof.unused.isEmpty)
            }
        }
    }

    @Test("OpenSSL verifies the commit with the key of the DID document", .enabled(if: Program.areThere))
    func signature() async throws {
        try await withRepository(3) { carol in
            var reader = try await carol.proof(of: "key1")
            let (_, unsigned, signature) = try reader.commitParts()
            let document = try await carol.client.sandbox.get("/" + RepositoryClient.did).json
            let method = try #require(document["verificationMethod"]?.array?.first)
            let multikey = try #require(method["publicKeyMultibase"]?.string)
            try await withFolder { folder in
                func file(_ name: String, _ bytes: [UInt8]) throws -> String {
                    let file = folder.appending(path: name)
                    try Data(bytes).write(to: file)
                    return file.path()
                }
                // A SubjectPublicKeyInfo of P-256 with a compressed point (RFC 5480).
                let prefix: [UInt8] = [
                    0x30, 0x39, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08,
                    0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x22, 0x00,
                ]
                let point = try #require(Self.base58(multikey.dropFirst()))
                #expect(point.prefix(2) == [0x80, 0x24])
                let outcome = try await Program.run(
                    Program.openssl,
                    [
                        "dgst", "-sha256", "-keyform", "DER",
                        "-verify", try file("key", prefix + point.dropFirst(2)),
                        "-signature", try file("signature", try #require(P256.encoded(signature))),
                        try file("message", unsigned),
                    ])
                #expect(outcome.status == 0 && outcome.text == "Verified OK\n")
            }
        }
    }

    @Test("signatures are verified, and their s is never the higher one")
    func lowS() {
        let key = P256.PrivateKey()
        // Half of the order, rounded down.
        let half: [UInt8] = [
            0x7f, 0xff, 0xff, 0xff, 0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            0xde, 0x73, 0x7d, 0x56, 0xd3, 0x8b, 0xcf, 0x42, 0x79, 0xdc, 0xe5, 0x61, 0x7e, 0x31, 0x92, 0xa8,
        ]
        for number in 0..<200 {
            let message = Array("\(number)".utf8)
            let signature = key.lowSignature(for: message)
            let flipped = P256.flipped(signature)
            #expect(!half.lexicographicallyPrecedes(signature.suffix(32)))
            #expect(half.lexicographicallyPrecedes(flipped.suffix(32)))
            #expect(key.publicKey.isValid(signature, for: message))
            #expect(key.publicKey.isValid(flipped, for: message))
            #expect(P256.flipped(flipped) == signature)
        }
    }

    @Test("an unknown DID, a handle and a deactivated account are refused")
    func refusals() async throws {
        try await withRepository(1) { carol in
            let sandbox = carol.client.sandbox
            for (method, more) in [
                ("getRepo", ""), ("getLatestCommit", ""), ("getRecord", "&collection=a.b.c&rkey=d"),
            ] {
                let path = "/xrpc/com.atproto.sync.\(method)?did="
                for unknown in ["did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "carol.pds.test"] {
                    let answer = try await sandbox.get(path + unknown + more)
                    #expect(answer.status == 400 && answer.error == "RepoNotFound")
                    #expect(answer.json["message"] == .string("Could not find repo for DID: \(unknown)"))
                }
            }
            _ = try await carol.client.change(
                "accounts/update", ["did": .string(RepositoryClient.did), "active": false])
            let answer = try await sandbox.get(RepositoryClient.proofPath("key0"))
            #expect(answer.status == 400 && answer.error == "RepoDeactivated")
            #expect(answer.json["message"] == .string("Repo has been deactivated: \(RepositoryClient.did)"))
        }
    }

    @Test("a repository that was made elsewhere is given byte for byte, and its key is named")
    func foreignFile() async throws {
        try await withRepository(2) { carol in
            let sandbox = carol.client.sandbox
            let own = try await sandbox.get("/" + RepositoryClient.did)
            let car: [UInt8] = Array("any bytes".utf8)
            let multikey = "zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc"
            _ = try await carol.client.change(
                "repositories",
                [
                    "handle": "carol.pds.test", "car": .string(Data(car).base64EncodedString()),
                    "multikey": .string(multikey),
                ])
            let whole = try await sandbox.get("/xrpc/com.atproto.sync.getRepo?did=\(RepositoryClient.did)")
            #expect(whole.body == car)
            #expect(try await sandbox.get(RepositoryClient.proofPath("key0")).body == car)
            let named = try await sandbox.get("/" + RepositoryClient.did)
            #expect(
                named.json["verificationMethod"]?.array?.first?["publicKeyMultibase"] == .string(multikey))
            _ = try await carol.client.change(
                "repositories", ["handle": "carol.pds.test", "car": .null])
            #expect(try await sandbox.get("/" + RepositoryClient.did).body == own.body)
            var back = try await carol.repository()
            #expect(try back.records().count == 2)
        }
    }

    /// The bytes of base58 text, if they do not start with zero.
    private static func base58(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
        var bytes: [UInt8] = []
        for character in text {
            guard var carry = digits.firstIndex(of: character) else { return nil }
            for place in bytes.indices.reversed() {
                carry += Int(bytes[place]) * 58
                bytes[place] = UInt8(carry & 0xff)
                carry >>= 8
            }
            if carry > 0 { bytes.insert(UInt8(carry), at: 0) }
        }
        return bytes
    }
}
