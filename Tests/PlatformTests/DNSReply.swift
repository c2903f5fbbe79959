/// Builds DNS messages, well-formed ones and others.
struct DNSReply {
    var id: UInt16 = 0x1234
    var code: UInt8 = 0
    var isTruncated = false
    var question = "_atproto.alice.example"
    var answers: [[UInt8]] = []
    /// What the header says there is; nil for the truth.
    var claimedAnswers: UInt16?

    var bytes: [UInt8] {
        Self.number(id) + [isTruncated ? 0x87 : 0x85, 0x80 | code] + Self.number(1)
            + Self.number(claimedAnswers ?? UInt16(answers.count)) + Self.number(0) + Self.number(0)
            + Self.name(question) + Self.number(16) + Self.number(1) + answers.flatMap { $0 }
    }

    /// A record of the question's name, which is pointed to.
    static func record(type: UInt16 = 16, recordClass: UInt16 = 1, _ data: [UInt8]) -> [UInt8] {
        [0xc0, 12] + number(type) + number(recordClass) + number(0) + number(60)
            + number(UInt16(data.count)) + data
    }

    static func text(_ strings: String...) -> [UInt8] {
        record(strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) })
    }

    static func name(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    private static func number(_ value: UInt16) -> [UInt8] {
        [UInt8(value >> 8), UInt8(value & 0xff)]
    }
}
