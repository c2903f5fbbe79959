import ATProtoIdentity
import BskyAuthCovers
import BskyAuthTestSupport
import Testing

@Suite("DNS messages") struct DNSMessageTests {
    private let plain = DNSReply(answers: [DNSReply.text("did=did:plc:abc")])

    @Test("reads the texts in order, the strings of one record joined", .covers("R4"))
    func texts() {
        let reply = DNSReply(answers: [
            DNSReply.text("did=did:plc:", "abc"), DNSReply.text("other"), DNSReply.text(""),
        ])
        #expect(DNSMessage.textRecords(in: reply.bytes) == ["did=did:plc:abc", "other", ""])
    }

    @Test("passes over records of other types and classes")
    func others() {
        let alias = DNSReply.record(type: 5, DNSReply.name("elsewhere.example"))
        let chaos = DNSReply.record(recordClass: 3, [1, 0x41])
        let reply = DNSReply(answers: [alias, chaos, DNSReply.text("a")])
        #expect(DNSMessage.textRecords(in: reply.bytes) == ["a"])
    }

    @Test("no answers are no texts")
    func empty() {
        #expect(DNSMessage.textRecords(in: DNSReply().bytes) == [])
    }

    @Test("refuses a message cut at any byte")
    func truncated() {
        let bytes = plain.bytes
        for count in 0..<bytes.count {
            #expect(DNSMessage.textRecords(in: Array(bytes.prefix(count))) == nil, "\(count)")
        }
    }

    @Test("refuses a header that promises more than there is")
    func promises() {
        var reply = plain
        reply.claimedAnswers = 0xffff
        #expect(DNSMessage.textRecords(in: reply.bytes) == nil)
    }

    @Test("refuses a string that runs over its record")
    func overrun() {
        let reply = DNSReply(answers: [DNSReply.record([200, 0x41]), DNSReply.text("a")])
        #expect(DNSMessage.textRecords(in: reply.bytes) == nil)
    }

    @Test("a pointer to itself is stepped over and not followed")
    func loop() {
        var bytes = plain.bytes
        let owner = DNSReply().bytes.count
        bytes[owner + 1] = UInt8(owner)
        #expect(DNSMessage.textRecords(in: bytes) == ["did=did:plc:abc"])
    }

    @Test("refuses labels of reserved kinds", arguments: [0x40, 0x7f, 0x80, 0xbf] as [UInt8])
    func reserved(_ kind: UInt8) {
        var bytes = plain.bytes
        bytes[12] = kind
        #expect(DNSMessage.textRecords(in: bytes) == nil)
    }

    @Test("survives any byte changed to any value")
    func changed() {
        let bytes = plain.bytes
        var read = 0
        for index in bytes.indices {
            for value in UInt8.min...UInt8.max {
                var changed = bytes
                changed[index] = value
                if DNSMessage.textRecords(in: changed) != nil { read += 1 }
            }
        }
        #expect(read > 0)
    }
}

@Suite("DNS messages that answer a query") struct DNSAnswerTests {
    private static let name = "_atproto.alice.example"
    private let query: [UInt8]
    private var reply = DNSReply(id: 0, answers: [DNSReply.text("did=did:plc:abc")])

    init() throws {
        query = try #require(DNSMessage.textQuery(for: Self.name))
    }

    private func failure(_ bytes: [UInt8]) -> TextRecordError.Code? {
        do {
            _ = try DNSMessage.textRecords(in: bytes, answering: query)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("a query is one question for texts, with no id and recursion desired")
    func asked() {
        let label = [8] + Array("_atproto".utf8) + [5] + Array("alice".utf8) + [7] + Array("example".utf8)
        #expect(query == [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + label + [0, 0, 16, 0, 1])
    }

    @Test("a name that can't be in DNS is not asked for")
    func impossible() {
        let longest = Array(repeating: String(repeating: "a", count: 62), count: 4).joined(separator: ".")
        #expect(DNSMessage.textQuery(for: longest + ".a")?.count == 12 + 255 + 4)
        #expect(DNSMessage.textQuery(for: longest + ".aa") == nil)
        #expect(DNSMessage.textQuery(for: String(repeating: "a", count: 63)) != nil)
        for name in [String(repeating: "a", count: 64), "", "a..b", ".a", "a."] {
            #expect(DNSMessage.textQuery(for: name) == nil, "\(name)")
        }
    }

    @Test("an answer is read, in whatever case it repeats the name")
    mutating func found() throws {
        reply.question = "_ATPROTO.Alice.example"
        #expect(
            try DNSMessage.textRecords(in: reply.bytes, answering: query) == ["did=did:plc:abc"])
    }

    @Test("a name that does not exist has no texts, whatever else the answer holds", arguments: [3, 0])
    mutating func absent(_ code: UInt8) throws {
        reply.code = code
        if code == 0 { reply.answers = [] }
        #expect(try DNSMessage.textRecords(in: reply.bytes, answering: query) == [])
    }

    @Test(
        "a server that fails or refuses says nothing about the name", .covers("D2"),
        arguments: [1, 2, 4, 5, 9])
    mutating func failing(_ code: UInt8) {
        reply.code = code
        #expect(failure(reply.bytes) == .noAnswer)
        // Some servers leave out the question.
        #expect(failure([0, 0, 0x81, 0x80 | code, 0, 0, 0, 0, 0, 0, 0, 0]) == .noAnswer)
    }

    @Test("an answer to another question is none")
    mutating func others() {
        reply.question = "_atproto.mallory.example"
        #expect(failure(reply.bytes) == .malformed)
        reply.question = Self.name
        reply.id = 1
        #expect(failure(reply.bytes) == .malformed)
        reply.id = 0
        var bytes = reply.bytes
        bytes[query.count - 3] = 1
        #expect(failure(bytes) == .malformed)
        bytes = reply.bytes
        bytes[5] = 0
        #expect(failure(bytes) == .malformed)
        reply.code = 3
        reply.question = "alice.example"
        #expect(failure(reply.bytes) == .malformed)
    }

    @Test("a query sent back, another operation or an answer cut short is none")
    mutating func notAnswers() {
        #expect(failure(query) == .malformed)
        reply.isTruncated = true
        #expect(failure(reply.bytes) == .malformed)
        reply.isTruncated = false
        var bytes = reply.bytes
        bytes[2] |= 0b0010_0000
        #expect(failure(bytes) == .malformed)
    }

    @Test("an answer cut at any byte is never believed")
    func cut() {
        let bytes = reply.bytes
        for count in 0..<bytes.count {
            #expect(failure(Array(bytes.prefix(count))) == .malformed, "\(count)")
        }
        #expect(failure(bytes) == nil)
    }
}
