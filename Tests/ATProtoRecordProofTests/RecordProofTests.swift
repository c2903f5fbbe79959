import ATProtoRecordProof
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import Testing

@Suite("A proof of a record", .timeLimit(.minutes(5))) struct RecordProofTests {
    private let repository: Repository
    private let key: RepositoryKey
    private let path = "app.bsky.feed.post/3jqfcqzm3f1x"
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        repository = try Repository.sample()
        key = try #require(repository.publicKey)
    }

    private func prove(_ car: [UInt8], _ path: String? = nil) throws -> RecordProof {
        try RecordProof(car: car, of: Repository.did, path: path ?? self.path, signedBy: key, now: now)
    }

    @Test("shows each record, and that others are not there") func records() throws {
        let written = try repository.written()
        for (path, bytes) in repository.records {
            let proof = try prove(repository.proof(of: path, in: written), path)
            #expect(proof.bytes == bytes && proof.record != nil)
            #expect(proof.commit.revision == "3l3qo2vutsw2b")
        }
        for path in ["app.bsky.feed.post/3jqfcqzm3zzzz", "a.b.c/d", "z.z.z/z", "app.bsky.feed.like/self"] {
            let proof = try prove(repository.proof(of: path, in: written), path)
            #expect(proof.cid == nil && proof.bytes == nil)
        }
        for path in ["", "app.bsky.feed.post", "app.bsky.feed.post/", "at://\(Repository.did)/a.b.c/d"] {
            #expect(throws: RecordProofError.path) { try prove(written.car(of: []), path) }
        }
        // The whole repository proves the same.
        #expect(try prove(written.car(of: written.blocks.keys.shuffled())).record != nil)
    }

    @Test("of an empty repository shows that nothing is there") func empty() throws {
        let empty = try Repository(records: [:])
        let written = try empty.written()
        let proof = try RecordProof(
            car: empty.proof(of: path, in: written), of: Repository.did, path: path,
            signedBy: #require(empty.publicKey), now: now)
        #expect(proof.cid == nil)
    }

    @Test("with any byte changed is refused", .covers("F14")) func flipped() throws {
        let written = try repository.written()
        for path in [path, "app.bsky.feed.post/absent"] {
            let car = try repository.proof(of: path, in: written)
            for index in car.indices {
                var changed = car
                changed[index] ^= 1 << UInt8(index % 8)
                #expect(throws: RecordProofError.self, "byte \(index)") { try prove(changed, path) }
            }
            for count in 0..<car.count {
                #expect(throws: RecordProofError.self, "\(count) bytes") {
                    try prove(Array(car.prefix(count)), path)
                }
            }
        }
    }

    @Test("without a block names the block or the record") func missing() throws {
        let written = try repository.written()
        var reader = try CARReader(CARBytes(repository.proof(of: path, in: written)))
        var needed: [CID] = []
        while let block = try reader.next() { needed.append(block.cid) }
        let record = repository.records[path].map { CID(of: $0) }
        for cid in needed {
            let error = cid == record ? RecordProofError.missingRecord(path) : .missingBlock(cid)
            #expect(throws: error) {
                try prove(written.car(of: needed.filter { $0 != cid }))
            }
        }
        // Further blocks, and one twice, do no harm.
        _ = try prove(written.car(of: needed + needed))
    }

    @Test("of another account, by another key, or from the future is refused", .covers("F14")) func others()
        throws
    {
        let written = try repository.written()
        let car = try repository.proof(of: path, in: written)
        #expect(throws: RecordProofError.otherRepository(Repository.did)) {
            try RecordProof(car: car, of: "did:plc:other", path: path, signedBy: key, now: now)
        }
        let stranger = try Repository.sample(1)
        let other = try #require(stranger.publicKey)
        #expect(throws: RecordProofError.signature) {
            try RecordProof(car: car, of: Repository.did, path: path, signedBy: other, now: now)
        }
        let early = Date(timeIntervalSince1970: 1_600_000_000)
        #expect(throws: RecordProofError.futureRevision("3l3qo2vutsw2b")) {
            try RecordProof(car: car, of: Repository.did, path: path, signedBy: key, now: early)
        }
    }

    @Test(
        "with another commit is refused",
        arguments: [
            ("version", DataValue.integer(2)), ("version", .text("3")), ("prev", .text("")), ("prev", nil),
            ("rev", .text("3l3qo2vutsw2")), ("rev", .text("zzzzzzzzzzzzz")), ("more", .null), ("did", .null),
            ("data", .null), ("data", .link(CID(of: [1], codec: .raw))),
            ("prev", .link(CID(of: [1], codec: .raw))),
        ] as [(String, DataValue?)])
    func commits(name: String, value: DataValue?) throws {
        let written = try repository.written { members in
            members.removeAll { $0.name == name }
            if let value { members.append((name, value)) }
        }
        let car = try repository.proof(of: path, in: written)
        #expect {
            try prove(car)
        } throws: { error in
            if case RecordProofError.commit = error { true } else { false }
        }
    }

    @Test("with the commit under an identifier of plain bytes is refused", .covers("F14")) func codec() throws
    {
        var written = try repository.written()
        let commit = try #require(written.blocks[written.commit])
        written.commit = CID(of: commit, codec: .raw)
        written.blocks[written.commit] = commit
        let error = RecordProofError.commit("its identifier is not one of DAG-CBOR")
        #expect(throws: error) { try prove(repository.proof(of: path, in: written)) }
        #expect(throws: error) { try SignedCommit(car: CARBytes(written.car(of: [written.commit]))) }
        #expect(throws: error) {
            try RepositoryProof(
                car: CARBytes(written.car(of: Array(written.blocks.keys))), of: Repository.did, signedBy: key,
                now: now)
        }
    }

    @Test("is of the collection with these letters, and of no other") func letters() throws {
        let record = DataValue.map([("$type", .text("COM.example.x"))]).dagCBOR
        let other = try Repository(records: ["COM.example.x/a": record])
        let written = try other.written()
        let key = try #require(other.publicKey)
        for (path, cid) in [("COM.example.x/a", CID(of: record)), ("com.example.x/a", nil)] {
            let proof = try RecordProof(
                car: other.proof(of: path, in: written), of: Repository.did, path: path, signedBy: key,
                now: now)
            #expect(proof.cid == cid)
        }
    }

    @Test("with the higher s of a signature is refused, and so is one in DER", .covers("F14"))
    func signatures() throws {
        let fixtures = try Fixtures.json("crypto/signature-fixtures")
        #expect(fixtures.count == 6)
        for fixture in fixtures {
            let did = try #require(fixture["publicKeyDid"] as? String)
            let key = try #require(RepositoryKey(multikey: did.dropFirst("did:key:".count)))
            let legacy = RepositoryKey(
                type: try #require(fixture["didDocSuite"] as? String),
                publicKeyMultibase: try #require(fixture["publicKeyMultibase"] as? String))
            #expect(legacy == key)
            let message = try Fixtures.base64(fixture["messageBase64"])
            let signature = try Fixtures.base64(fixture["signatureBase64"])
            #expect(key.verifies(signature, of: message) == fixture["validSignature"] as? Bool, "\(fixture)")
        }
    }

    @Test("by a key with an uncompressed point is one by the same key", .needsVectors) func legacyKey() throws
    {
        let json = try JSONSerialization.jsonObject(with: Vectors.data("metadata/did_plc_doc_legacy.json"))
        let methods = (json as? [String: Any])?["verificationMethod"] as? [[String: Any]]
        let text = try #require(methods?.first?["publicKeyMultibase"] as? String)
        let key = RepositoryKey(type: "EcdsaSecp256k1VerificationKey2019", publicKeyMultibase: text)
        #expect(key != nil)
        #expect(RepositoryKey(type: "EcdsaSecp256r1VerificationKey2019", publicKeyMultibase: text) == nil)
        #expect(RepositoryKey(type: "Ed25519VerificationKey2020", publicKeyMultibase: text) == nil)
    }

    @Test("by the keys of W3C's vectors can be read") func keys() throws {
        let (k256, p256) = (
            try Fixtures.json("crypto/w3c_didkey_K256"), try Fixtures.json("crypto/w3c_didkey_P256")
        )
        #expect(k256.count == 5 && p256.count == 1)
        for fixture in k256 + p256 {
            let did = try #require(fixture["publicDidKey"] as? String)
            let text = did.dropFirst("did:key:".count)
            #expect(RepositoryKey(multikey: text) != nil, "\(did)")
            #expect(RepositoryKey(multikey: text.dropLast()) == nil)
            #expect(RepositoryKey(multikey: text + "1") == nil)
        }
    }
}
