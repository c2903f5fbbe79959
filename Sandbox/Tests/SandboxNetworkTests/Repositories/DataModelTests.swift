import Foundation
import Testing

@testable import SandboxNetwork

@Suite("Records as DAG-CBOR")
struct DataModelTests {
    @Test("the interoperability tests' records have their bytes and identifiers")
    func fixtures() throws {
        for fixture in try InteroperabilityTests.cases("data-model/data-model-fixtures") {
            let json = try #require(fixture["json"])
            let text = try #require(fixture["cbor_base64"]?.string)
            let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
            let block = Block(try CBORValue(json).encoded)
            #expect(Data(block.bytes) == Data(base64Encoded: text + padding))
            #expect(block.cid.text == fixture["cid"]?.string)
            #expect(ContentIdentifier(block.cid.text) == block.cid)
            // The reader of the tests has the same bytes, and the JSON form is the one it was made of.
            let read = try CBORReader.value(of: block.bytes)
            #expect(read.encoded == block.bytes)
            #expect(try CBORValue(JSONValue(read)).encoded == block.bytes)
        }
    }

    @Test("numbers have the fewest bytes, and names are sorted by length first")
    func canonical() {
        let numbers: [(Int64, [UInt8])] = [
            (0, [0]), (23, [23]), (24, [0x18, 24]), (255, [0x18, 255]), (256, [0x19, 1, 0]),
            (65_535, [0x19, 255, 255]), (65_536, [0x1a, 0, 1, 0, 0]), (-1, [0x20]), (-24, [0x37]),
            (-25, [0x38, 24]), (1 << 32, [0x1b, 0, 0, 0, 1, 0, 0, 0, 0]),
            (.max, [0x1b, 0x7f] + Array(repeating: 0xff, count: 7)),
            (.min, [0x3b, 0x7f] + Array(repeating: 0xff, count: 7)),
        ]
        for (number, bytes) in numbers { #expect(CBORValue.integer(number).encoded == bytes) }
        let map: CBORValue = ["bb": .null, "c": .bool(true), "é": .bool(false), "a": .integer(1)]
        #expect(
            map.encoded == [
                0xa4, 0x61, 0x61, 1, 0x61, 0x63, 0xf5, 0x62, 0x62, 0x62, 0xf6, 0x62, 0xc3, 0xa9, 0xf4,
            ])
    }

    @Test("valid records are stored under their identifiers, invalid ones are refused")
    func records() async throws {
        try await withPasswords { client in
            let token = try await client.login().access
            func create(_ record: JSONValue?) async throws -> WireAnswer {
                try await client.call(
                    "POST", "com.atproto.repo.createRecord", token,
                    body: [
                        "repo": .string(PasswordClient.did), "collection": "com.example.any",
                        "record": record ?? .null,
                    ])
            }
            let valid = try InteroperabilityTests.cases("data-model/data-model-valid")
            for fixture in try valid + InteroperabilityTests.cases("data-model/data-model-fixtures") {
                let answer = try await create(fixture["json"])
                #expect(answer.status == 200, "\(fixture.text)")
                if let cid = fixture["cid"] { #expect(answer.json["cid"] == cid) }
            }
            for fixture in try InteroperabilityTests.cases("data-model/data-model-invalid") {
                let answer = try await create(fixture["json"])
                #expect(answer.status == 400 && answer.error == "InvalidRequest", "\(fixture.text)")
            }
            let big = try await create(["number": .number(1e19)])
            #expect(big.status == 400)
        }
    }

    @Test("a key that no tree may have is refused", arguments: ["", "a/b", "a b", "..", "ä"])
    func keys(key: String) async throws {
        try await withPasswords { client in
            let token = try await client.login().access
            let answer = try await client.call(
                "POST", "com.atproto.repo.putRecord", token,
                body: [
                    "repo": .string(PasswordClient.did), "collection": "com.example.any",
                    "rkey": .string(key), "record": [:],
                ])
            #expect(answer.status == 400 && answer.error == "InvalidRequest")
        }
    }

    @Test("text that is no CID of the AT Protocol is refused")
    func identifiers() {
        let cid = "bafyreie5737gdxlw5i64vzichcalba3z2v5n6icifvx5xytvske7mr3hpm"
        #expect(ContentIdentifier(cid)?.text == cid)
        // The identifier of an empty tree.
        #expect(TreeNode().block.cid.text == cid)
        for text in [
            "", ".", "b", cid + "a", String(cid.dropLast()), cid.uppercased(), "z" + cid.dropFirst(),
            "QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR",
        ] {
            #expect(ContentIdentifier(text) == nil, "\(text)")
        }
    }
}
