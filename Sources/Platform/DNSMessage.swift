/// Reads the TXT records out of a DNS message (RFC 1035 §4).
package enum DNSMessage {
    /// The texts of the TXT answers, the strings of one record joined; nil where the message is malformed.
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
            guard type == 16, recordClass == 1 else { continue }
            guard let text = text(of: data) else { return nil }
            texts.append(text)
        }
        return texts
    }

    /// Joins the character-strings of one record.
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

        /// Steps over a name: labels up to a zero, or up to a pointer, which ends it. Where the pointer leads
        /// is of no interest, so there is no loop to fall into.
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
