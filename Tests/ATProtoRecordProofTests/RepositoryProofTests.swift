import ATProtoRecordProof
import Foundation
import Testing

@Suite("A whole repository", .timeLimit(.minutes(5))) struct RepositoryProofTests {
    private let repository: Repository
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws { repository = try Repository.sample(300) }

    private func prove(_ car: [UInt8]) throws -> RepositoryProof {
        try RepositoryProof(
            car: CARBytes(car), of: Repository.did, signedBy: try #require(repository.publicKey), now: now)
    }

    @Test("is verified with every record, in any order of its blocks") func whole() throws {
        let written = try repository.written()
        let proof = try prove(written.car(of: written.blocks.keys.shuffled()))
        #expect(proof.records == 300 && proof.invalidRecords == 0 && proof.unreferencedBlocks == 0)
        #expect(proof.blocks == written.blocks.count && proof.commit.data == written.data)
    }

    @Test("without any of its blocks names the block or the record") func missing() throws {
        let written = try repository.written()
        for cid in written.blocks.keys {
            let path = repository.records.first { CID(of: $0.value) == cid }?.key
            #expect(throws: path.map { RecordProofError.missingRecord($0) } ?? .missingBlock(cid)) {
                try prove(written.car(of: written.blocks.keys.filter { $0 != cid }))
            }
        }
    }

    @Test("tells of blocks that it does not need, and of records that are not valid data") func extras()
        throws
    {
        var records = repository.records
        records["a.b.c/1"] = DataValue.array([]).dagCBOR
        records["a.b.c/2"] = [0x18, 0x01]
        // It begins as a node of a tree does.
        records["a.b.c/3"] = DataValue.map([("e", .null), ("f", .null)]).dagCBOR
        let other = try Repository(records: records)
        var written = try other.written()
        let extra: [UInt8] = [0xa0]
        written.blocks[CID(of: extra)] = extra
        let all = Array(written.blocks.keys)
        let proof = try RepositoryProof(
            car: CARBytes(written.car(of: all + all)), of: Repository.did,
            signedBy: try #require(other.publicKey),
            now: now)
        #expect(proof.records == 303 && proof.invalidRecords == 2 && proof.unreferencedBlocks == 1)
        #expect(proof.blocks == all.count)
    }

    @Test("lists every record in the order of the paths, with its blobs, after all was verified")
    func listed() throws {
        let (photo, film) = (CID(of: [1], codec: .raw), CID(of: [2], codec: .raw))
        var records = repository.records
        let blob = { (cid: CID) in DataValue.map([("$type", .text("blob")), ("ref", .link(cid))]) }
        records["a.b.c/1"] =
            DataValue.map([
                ("embed", .array([blob(photo), .map([("video", blob(film))])])),
                ("other", .link(CID(of: [3]))),
            ]).dagCBOR
        // The form of 2023.
        let old = CID(of: [5], codec: .raw)
        let image = DataValue.map([("cid", .text("\(old)")), ("mimeType", .text("image/png"))])
        records["a.b.c/2"] = DataValue.map([("image", image), ("cid", .text("\(old)"))]).dagCBOR
        let other = try Repository(records: records)
        var written = try other.written()
        let extra = blob(CID(of: [4], codec: .raw)).dagCBOR
        written.blocks[CID(of: extra)] = extra
        var found: [ListedRecord] = []
        let key = try #require(other.publicKey)
        let all = Array(written.blocks.keys)
        let proof = try RepositoryProof(
            car: CARBytes(written.car(of: all + all)), of: Repository.did, signedBy: key, now: now,
            list: { found.append($0) })
        #expect(proof.records == 302 && found.count == 302)
        let paths = records.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(found.map(\.uri) == paths.map { "at://\(Repository.did)/\($0)" })
        #expect(found.map(\.cid) == paths.map { CID(of: records[$0] ?? []) })
        #expect(found.filter { !$0.blobs.isEmpty }.map(\.blobs) == [[photo, film], [old]])
        #expect(found.first { !$0.blobs.isEmpty }?.uri.hasSuffix("/a.b.c/1") == true)

        var told = 0
        for cid in written.blocks.keys where cid != CID(of: extra) {
            let car = written.car(of: all.filter { $0 != cid })
            #expect(throws: RecordProofError.self) {
                try RepositoryProof(
                    car: CARBytes(car), of: Repository.did, signedBy: key, now: now, list: { _ in told += 1 })
            }
        }
        #expect(told == 0)
    }

    @Test("with a byte changed is refused") func flipped() throws {
        let small = try Repository.sample(20)
        let written = try small.written()
        let car = written.car(of: Array(written.blocks.keys))
        let key = try #require(small.publicKey)
        for index in car.indices {
            var changed = car
            changed[index] ^= 1 << UInt8(index % 8)
            #expect(throws: RecordProofError.self, "byte \(index)") {
                try RepositoryProof(car: CARBytes(changed), of: Repository.did, signedBy: key, now: now)
            }
        }
    }

    @Test("tells its progress") func progress() throws {
        let large = try Repository.sample(2500)
        let written = try large.written()
        var told: [Int] = []
        _ = try RepositoryProof(
            car: CARBytes(written.car(of: Array(written.blocks.keys))), of: Repository.did,
            signedBy: try #require(large.publicKey), now: now
        ) { told.append($0) }
        #expect(told.count == written.blocks.count / 1000)
        #expect(told == (1...told.count).map { $0 * 1000 })
    }
}
