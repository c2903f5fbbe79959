package import HTTPTypes

/// The challenges of a 401 response (RFC 9110 §11.6.1). Several schemes may share one field, and a parameter
/// belongs to the scheme before it (protocol:R58).
package struct WWWAuthenticate: Sendable, Hashable {
    package struct Challenge: Sendable, Hashable {
        /// The scheme as the server wrote it.
        package let scheme: String
        /// The parameters by lower-case name. The first of a repeated name counts.
        package fileprivate(set) var parameters: [String: String] = [:]
    }

    package private(set) var challenges: [Challenge] = []

    /// Reads every `WWW-Authenticate` field. Reading a field stops at its first syntax error.
    package init(headerFields: HTTPFields) {
        for value in headerFields[values: .wwwAuthenticate] { read(value) }
    }

    package init(_ text: String) {
        read(text)
    }

    /// The `error` of the first `DPoP` challenge that has one (RFC 9449 §7.1).
    package var dpopError: String? {
        challenges.lazy.filter { $0.scheme.lowercased() == "dpop" }.compactMap { $0.parameters["error"] }
            .first
    }

    private mutating func read(_ text: String) {
        guard text.utf8.count <= Self.longestField else { return }
        var reader = ChallengeReader(text)
        var current: Challenge?
        defer { if let current { challenges.append(current) } }
        while let token = reader.nextToken() {
            if let value = reader.value() {
                // A parameter before any scheme is a syntax error.
                guard current != nil else { return }
                let name = token.lowercased()
                if current?.parameters[name] == nil { current?.parameters[name] = value }
            } else {
                if let current { challenges.append(current) }
                current = Challenge(scheme: token)
                reader.skipToken68()
            }
        }
    }

    private static let longestField = 16384
}

/// The tokens of a field.
private struct ChallengeReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The next token, after commas and spaces.
    mutating func nextToken() -> String? {
        skip { $0 == 0x2c || Self.isSpace($0) }
        let token = take(while: Self.isTokenCharacter)
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    /// The token or quoted string after `=`. Nil if there is none; then the position stays.
    mutating func value() -> String? {
        let start = position
        skip(while: Self.isSpace)
        if peek == UInt8(ascii: "=") {
            position += 1
            skip(while: Self.isSpace)
            if let value = quotedString() ?? plainValue() { return value }
        }
        position = start
        return nil
    }

    /// Skips the `abc==` that some schemes have instead of parameters.
    mutating func skipToken68() {
        let start = position
        skip(while: Self.isSpace)
        guard position > start else { return }
        let text = take { Self.isTokenCharacter($0) || $0 == 0x2f }
        skip { $0 == UInt8(ascii: "=") }
        skip(while: Self.isSpace)
        if text.isEmpty || !(peek == nil || peek == 0x2c) { position = start }
    }

    private mutating func quotedString() -> String? {
        guard peek == UInt8(ascii: "\"") else { return nil }
        var text: [UInt8] = []
        var next = position + 1
        while next < bytes.count {
            switch bytes[next] {
            case UInt8(ascii: "\""):
                position = next + 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\") where next + 1 < bytes.count:
                text.append(bytes[next + 1])
                next += 2
            case let byte:
                text.append(byte)
                next += 1
            }
        }
        return nil
    }

    private mutating func plainValue() -> String? {
        let token = take(while: Self.isTokenCharacter)
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while let byte = peek, condition(byte) { position += 1 }
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        skip(while: condition)
        return bytes[start..<position]
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// RFC 9110 §5.6.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: tokenPunctuation.contains(byte)
        }
    }

    private static let tokenPunctuation = Set("!#$%&'*+-.^_`|~".utf8)
}
