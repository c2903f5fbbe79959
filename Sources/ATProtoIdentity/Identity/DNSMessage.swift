/// Writes queries for TXT records as DNS messages, and reads the answers (RFC 1035 §4).
package enum DNSMessage {
    /// A query for the TXT records of a name, with recursion desired. Nil for a name that DNS can't hold: an
    /// empty label, a label over 63 bytes, or more than 253 bytes in all.
    ///
    /// The message ID is zero, so that equal queries are equal bytes (RFC 8484 §4.1). Send it only over a
    /// channel that ties the answer to the query, such as an HTTPS exchange.
    package static func textQuery(for name: String) -> [UInt8]? {
        guard name.utf8.count <= 253 else { return nil }
        var query: [UInt8] = [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        for label in name.split(separator: ".", omittingEmptySubsequences: false) {
            guard (1...63).contains(label.utf8.count) else { return nil }
            query.append(UInt8(label.utf8.count))
            query.append(contentsOf: label.utf8)
        }
        return query + [0, 0, UInt8(textType), 0, UInt8(internetClass)]
    }

    /// The texts in the answer to a query of ``textQuery(for:)``. Empty if the name or the records don't exist.
    ///
    /// - Throws: `noAnswer` if the server failed or refused; `malformed` if the message is not the whole answer
    ///   to this query.
    package static func textRecords(
        in message: [UInt8], answering query: [UInt8]
    ) throws(TextRecordError) -> [String] {
        guard message.count >= headerLength, message.prefix(2) == query.prefix(2) else {
            throw TextRecordError(.malformed)
        }
        // QR must be set, OPCODE must be a standard query, and TC (truncated) must be clear.
        guard message[2] & 0b1111_1010 == 0b1000_0000 else { throw TextRecordError(.malformed) }
        let code = message[3] & 0x0f
        guard code == success || code == noSuchName else { throw TextRecordError(.noAnswer) }
        let question = query.dropFirst(headerLength)
        guard message[4..<6] == query[4..<6],
            message.dropFirst(headerLength).prefix(question.count).elementsEqual(question, by: isSameLetter),
            let texts = textRecords(in: message)
        else { throw TextRecordError(.malformed) }
        return code == success ? texts : []
    }

    /// Compares bytes of a question. Names ignore the case of ASCII letters (RFC 4343 §3). All other bytes of a
    /// question, the label lengths included, lie below the letters.
    private static func isSameLetter(_ a: UInt8, _ b: UInt8) -> Bool {
        func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
        return lowercase(a) == lowercase(b)
    }

    private static let headerLength = 12
    private static let textType = 16
    private static let internetClass = 1
    private static let success: UInt8 = 0
    private static let noSuchName: UInt8 = 3

    /// The texts of the TXT records in the answer section. The strings of one record are joined. Nil if the
    /// message is malformed.
    ///
    /// The caller must know that the message answers its query, as the system's resolver makes sure.
    package static func textRecords(in message: [UInt8]) -> [String]? {
        var reader = Reader(bytes: message)
        guard reader.skip(4), let questions = reader.number(), let answers = reader.number(), reader.skip(4)
        else { return nil }
        for _ in 0..<questions {
            guard reader.skipName(), reader.skip(4) else { return nil }
        }
        var texts: [String] = []
        for _ in 0..<answers {
            guard reader.skipName(), let type = reader.number(), let recordClass = reader.number(),
                reader.skip(4), let length = reader.number(), let data = reader.take(length)
            else { return nil }
            guard type == textType, recordClass == internetClass else { continue }
            guard let text = text(of: data) else { return nil }
            texts.append(text)
        }
        return texts
    }

    /// Joins the character-strings of one record (RFC 1035 §3.3.14).
    private static func text(of data: [UInt8]) -> String? {
        var bytes: [UInt8] = []
        var position = 0
        while position < data.count {
            let length = Int(data[position])
            guard position + 1 + length <= data.count else { return nil }
            bytes.append(contentsOf: data[position + 1..<position + 1 + length])
            position += 1 + length
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        mutating func skip(_ count: Int) -> Bool {
            guard position + count <= bytes.count else { return false }
            position += count
            return true
        }

        mutating func number() -> Int? {
            guard position + 2 <= bytes.count else { return nil }
            defer { position += 2 }
            return Int(bytes[position]) << 8 | Int(bytes[position + 1])
        }

        mutating func take(_ count: Int) -> [UInt8]? {
            guard position + count <= bytes.count else { return nil }
            defer { position += count }
            return Array(bytes[position..<position + count])
        }

        /// Skips a name: labels up to a zero byte or a compression pointer. Pointers are not followed, so a
        /// pointer loop can't trap the reader.
        mutating func skipName() -> Bool {
            while position < bytes.count {
                let length = Int(bytes[position])
                switch length {
                case 0: return skip(1)
                case 0xc0...: return skip(2)
                case 0x40...: return false
                default:
                    guard skip(1 + length) else { return false }
                }
            }
            return false
        }
    }
}
