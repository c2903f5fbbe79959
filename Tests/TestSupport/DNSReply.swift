/// Builds DNS replies for tests, well-formed and broken ones.
package struct DNSReply: Sendable {
    package var id: UInt16
    package var code: UInt8
    package var isTruncated = false
    package var question = "_atproto.alice.example"
    package var answers: [[UInt8]]
    /// The number of answers in the header. Nil writes the real number.
    package var claimedAnswers: UInt16?

    package init(id: UInt16 = 0x1234, code: UInt8 = 0, answers: [[UInt8]] = []) {
        self.id = id
        self.code = code
        self.answers = answers
    }

    package var bytes: [UInt8] {
        Self.number(id) + [isTruncated ? 0x87 : 0x85, 0x80 | code] + Self.number(1)
            + Self.number(claimedAnswers ?? UInt16(answers.count)) + Self.number(0) + Self.number(0)
            + Self.name(question) + Self.number(16) + Self.number(1) + answers.flatMap { $0 }
    }

    /// A record whose owner is a pointer to the name in the question.
    package static func record(type: UInt16 = 16, recordClass: UInt16 = 1, _ data: [UInt8]) -> [UInt8] {
        [0xc0, 12] + number(type) + number(recordClass) + number(0) + number(60)
            + number(UInt16(data.count)) + data
    }

    package static func text(_ strings: String...) -> [UInt8] {
        record(strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) })
    }

    package static func name(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    private static func number(_ value: UInt16) -> [UInt8] {
        [UInt8(value >> 8), UInt8(value & 0xff)]
    }
}
