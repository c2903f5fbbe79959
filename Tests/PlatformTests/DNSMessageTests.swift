import Platform
import Testing

@Suite("DNS messages") struct DNSMessageTests {
    private let plain = DNSReply(answers: [DNSReply.text("did=did:plc:abc")])

    @Test("reads the texts in order, the strings of one record joined")
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
