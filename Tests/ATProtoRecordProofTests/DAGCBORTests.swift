import ATPJSON
import Foundation
import Testing

@testable import ATProtoRecordProof

@Suite("DAG-CBOR") struct DAGCBORTests {
    @Test("is that of the vectors, in both directions") func fixtures() throws {
        let fixtures = try Fixtures.json("data-model/data-model-fixtures")
        let parsed = try #require(
            try JSONParser.parse(Array(Fixtures.data("data-model/data-model-fixtures"))).array)
        #expect(fixtures.count == 3 && parsed.count == 3)
        for (fixture, json) in zip(fixtures, parsed) {
            let bytes = try Fixtures.base64(fixture["cbor_base64"])
            let content = try #require(json["json"])
            let value = try #require(DataValue(content))
            #expect(value.dagCBOR == bytes)
            let read = try DataValue(dagCBOR: bytes)
            #expect(read == value && read.dagCBOR == bytes)
            #expect(DataValue(read.json) == read)
            #expect(CID(of: bytes).description == fixture["cid"] as? String)
            #expect(CID(fixture["cid"] as? String ?? "") == CID(of: bytes))
        }
    }

    @Test("has the records of the vectors", arguments: [("valid", 5), ("invalid", 12)])
    func records(name: String, count: Int) throws {
        let parsed = try #require(
            try JSONParser.parse(Array(Fixtures.data("data-model/data-model-\(name)"))).array)
        #expect(parsed.count == count)
        for item in parsed {
            let content = try #require(item["json"])
            let value = DataValue(content)
            #expect((value?.isValidRecord == true) == (name == "valid"), "\(item["note"]?.string ?? "")")
        }
    }

    private static func bytes(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.count, by: 2).compactMap { place in
            UInt8(text.dropFirst(place).prefix(2), radix: 16)
        }
    }

    @Test(
        "has one form for each value",
        arguments: [
            ("00", DataValue.integer(0)), ("17", .integer(23)), ("1818", .integer(24)),
            ("190100", .integer(256)),
            ("1a00010000", .integer(65536)), ("1b0000000100000000", .integer(4_294_967_296)),
            ("1b7fffffffffffffff", .integer(.max)), ("20", .integer(-1)),
            ("3b7fffffffffffffff", .integer(.min)),
            ("40", .bytes([])), ("4101", .bytes([1])), ("60", .text("")), ("6161", .text("a")),
            ("62c3a9", .text("é")), ("80", .array([])), ("8101", .array([.integer(1)])), ("a0", .map([])),
            ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null),
        ] as [(String, DataValue)])
    func values(text: String, value: DataValue) throws {
        let bytes = Self.bytes(text)
        #expect(try DataValue(dagCBOR: bytes) == value)
        #expect(value.dagCBOR == bytes)
        try DAGCBORReader.validate(bytes[...])
    }

    @Test(
        "refuses every other form",
        arguments: [
            ("", InvalidDAGCBOR.cutShort), ("18", .cutShort), ("4201", .cutShort), ("6261", .cutShort),
            ("81", .cutShort),
            ("a1", .cutShort), ("0000", .trailingBytes), ("1817", .notShortest), ("1900ff", .notShortest),
            ("1a0000ffff", .notShortest), ("1b00000000ffffffff", .notShortest), ("5801", .notShortest),
            ("1f", .notShortest), ("5f4101ff", .notShortest), ("9f01ff", .notShortest),
            ("bf616101ff", .notShortest),
            ("1c", .notShortest), ("1bffffffffffffffff", .numberRange), ("3bffffffffffffffff", .numberRange),
            ("f7", .kind(0xf7)), ("f0", .kind(0xf0)), ("f818", .kind(0xf8)), ("f93c00", .kind(0xf9)),
            ("fa3f800000", .kind(0xfa)), ("fb3ff0000000000000", .kind(0xfb)), ("c001", .link),
            ("d82a01", .link),
            ("d82a4100", .link), ("61ff", .text), ("62c080", .text), ("63eda080", .text), ("a10101", .names),
            ("a2616101616102", .names), ("a2616201616102", .names), ("a262616101616202", .names),
            ("9bffffffffffffffff", .cutShort), ("bb7fffffffffffffff", .cutShort),
            ("5b7fffffffffffffff", .cutShort),
        ] as [(String, InvalidDAGCBOR)])
    func refusals(text: String, error: InvalidDAGCBOR) {
        let bytes = Self.bytes(text)
        #expect(throws: error) { try DataValue(dagCBOR: bytes) }
        #expect(throws: error) { try DAGCBORReader.validate(bytes[...]) }
    }

    @Test("compares names by their bytes, and members in any order") func equality() throws {
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        #expect(DataValue.map([(composed, .null)]) != .map([(decomposed, .null)]))
        #expect(DataValue.text(composed) != .text(decomposed))
        let (left, right) = (
            DataValue.map([("a", .null), ("b", .null)]), DataValue.map([("b", .null), ("a", .null)])
        )
        #expect(left == right && left.hashValue == right.hashValue)
    }

    @Test(
        "is not made of JSON of another form",
        arguments: [
            #"{"a":1.00000000000000000001}"#, #"{"a":1e3}"#, #"{"a":1.5}"#,
            #"{"a":{"$bytes":"AQ=anything="}}"#,
            #"{"a":{"$bytes":"AQ======"}}"#, #"{"a":{"$bytes":"A-"}}"#, #"{"a":9223372036854775808}"#,
        ])
    func json(text: String) throws {
        let json = try JSONParser.parse(text)
        #expect(DataValue(json) == nil)
    }

    @Test("of a record has no map that is a link or bytes in JSON") func impostors() throws {
        for name in ["$link", "$bytes"] {
            #expect(!DataValue.map([("a", .map([(name, .text("x"))]))]).isValidRecord)
        }
        #expect(DataValue(try JSONParser.parse(#"{"a":{"$bytes":"AQ=="}}"#)) == .map([("a", .bytes([1]))]))
        let many = [0x9a, 0x00, 0x03, 0xd0, 0x90] + [UInt8](repeating: 0, count: 250_000)
        #expect(throws: InvalidDAGCBOR.count) { try DataValue(dagCBOR: many) }
    }

    @Test("is nested at most 64 levels deep") func depth() throws {
        for kind in ["81", "a16161"] {
            let deep = Self.bytes(String(repeating: kind, count: 64) + "00")
            _ = try DataValue(dagCBOR: deep)
            try DAGCBORReader.validate(deep[...])
            let deeper = Self.bytes(kind) + deep
            #expect(throws: InvalidDAGCBOR.depth) { try DataValue(dagCBOR: deeper) }
            #expect(throws: InvalidDAGCBOR.depth) { try DAGCBORReader.validate(deeper[...]) }
        }
    }

    @Test("that was read is written again as the same bytes, whatever they are") func random() throws {
        var generator = SystemRandomNumberGenerator()
        var read = 0
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let isValid = (try? DAGCBORReader.validate(bytes[...])) != nil
            let value = try? DataValue(dagCBOR: bytes)
            #expect(isValid == (value != nil))
            if let value {
                #expect(value.dagCBOR == bytes)
                read += 1
            }
        }
        #expect(read > 0)
    }
}

@Suite("A CAR file") struct CARTests {
    private func read(_ bytes: [UInt8]) throws -> [Block] {
        var reader = try CARReader(CARBytes(bytes))
        var blocks: [Block] = []
        while let block = try reader.next() { blocks.append(block) }
        return blocks
    }

    @Test("gives its blocks, and is refused in any other form") func forms() throws {
        let content: [UInt8] = [0xa0]
        let cid = CID(of: content)
        let header = DataValue.map([("roots", .array([.link(cid)])), ("version", .integer(1))]).dagCBOR
        let frame = Repository.Written.frame
        let file = frame(header) + frame(cid.bytes + content)
        #expect(try read(file) == [Block(cid: cid, bytes: content)])
        let raw = CID(of: [1, 2], codec: .raw)
        #expect(try read(frame(header) + frame(raw.bytes + [1, 2])).map(\.cid) == [raw])
        let second = DataValue.map([("roots", .array([.link(cid)])), ("version", .integer(2))]).dagCBOR
        let rootless = DataValue.map([("roots", .array([])), ("version", .integer(1))]).dagCBOR
        let refused: [([UInt8], InvalidCAR)] = [
            ([], .header), (frame(second), .header), (frame([0xa0]), .header), (frame(rootless), .noRoot),
            ([0x80, 0x00], .length), ([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02], .length),
            (Array("hello\n".utf8), .header), (Array("{\"a\":1}".utf8), .header),
            (Array(frame(header).dropLast()), .cutShort),
            ([0x81], .cutShort), (Array(file.dropLast()), .cutShort), (file + [40], .cutShort),
            (frame(header) + frame([1]), .identifier),
            (frame(header) + frame([1, 0x70] + cid.bytes.dropFirst(2) + content), .identifier),
            (frame(header) + frame(cid.bytes + [0xa1]), .digest(cid)),
            (frame(header) + [0xff, 0xff, 0xff, 0x01], .blockSize), ([0xff, 0xff, 0x7f], .header),
        ]
        for (bytes, error) in refused {
            #expect(throws: error, "\(bytes.prefix(20))") { try read(bytes) }
        }
    }

    @Test("names blocks by texts of one form") func texts() throws {
        let cid = CID(of: [0xa0])
        #expect(CID(cid.description) == cid)
        for text in [
            "", "b", "z" + cid.description.dropFirst(), cid.description.uppercased(), cid.description + "a",
        ] {
            #expect(CID(text) == nil, "\(text)")
        }
    }
}
