/// A key of the keyboard that the program obeys.
package enum Key: Sendable, Hashable {
    case character(Character)
    case up
    case down
    case enter
    case erase
    case escape
    /// Ctrl-D.
    case endOfInput
}

/// Decodes the bytes that a terminal sends into keys (ECMA-48 for those of several bytes).
package struct KeyDecoder: Sendable {
    private var bytes: ArraySlice<UInt8> = []

    package init() {}

    /// Whether the bytes so far may be the beginning of a key.
    package var isWaiting: Bool { !bytes.isEmpty }

    /// Decodes more bytes.
    package mutating func keys(in more: [UInt8]) -> [Key] {
        bytes.append(contentsOf: more)
        var keys: [Key] = []
        while let length = lengthOfNext() {
            if let key = Self.key(bytes.prefix(length)) { keys.append(key) }
            bytes = bytes.dropFirst(length)
        }
        return keys
    }

    /// Decodes the waiting bytes if no more follow. The escape key sends the byte that escape sequences begin with.
    package mutating func rest() -> Key? {
        defer { bytes = [] }
        return bytes.elementsEqual([Self.escape]) ? .escape : nil
    }

    /// The number of bytes of the next key; nil if some are missing.
    private func lengthOfNext() -> Int? {
        guard let first = bytes.first else { return nil }
        let length: Int
        switch first {
        case Self.escape:
            guard let second = bytes.dropFirst().first else { return nil }
            guard second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else { return 2 }
            guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7e).contains($0) }) else {
                return nil
            }
            return end - bytes.startIndex + 1
        case 0xc2...0xdf: length = 2
        case 0xe0...0xef: length = 3
        case 0xf0...0xf4: length = 4
        default: length = 1
        }
        return bytes.count >= length ? length : nil
    }

    /// nil if the bytes are not a key that the program obeys.
    private static func key(_ bytes: ArraySlice<UInt8>) -> Key? {
        guard bytes.first != escape else {
            switch bytes.last {
            case UInt8(ascii: "A") where bytes.count == 3: return .up
            case UInt8(ascii: "B") where bytes.count == 3: return .down
            default: return nil
            }
        }
        switch bytes.first {
        case 0x0a, 0x0d: return .enter
        case 0x08, 0x7f: return .erase
        case 0x04: return .endOfInput
        case let control? where control < 0x20: return nil
        default: return String(validating: bytes, as: UTF8.self)?.first.map(Key.character)
        }
    }

    private static let escape: UInt8 = 0x1b
}
