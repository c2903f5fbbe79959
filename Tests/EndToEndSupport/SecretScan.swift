package import Foundation

/// Looks for secrets in what a program said and left: tokens and codes by their shape, known ones in every dress.
package struct SecretScan: Sendable {
    /// The known secrets as they may look in a text.
    private let dressed: [String]
    /// Those that are no text, as they are.
    private let keys: [Data]
    private let harmless: [String]

    /// - Parameters:
    ///   - known: texts that must not appear, as a passphrase.
    ///   - keys: bytes that must not, as of a private key.
    ///   - harmless: places that look random and are not secret.
    package init(known: [String] = [], keys: [Data] = [], harmless: [String] = []) {
        dressed = known.flatMap { Self.dresses($0) } + keys.flatMap { Self.dresses($0) }
        self.keys = keys
        self.harmless = harmless
    }

    /// What the sandbox's secrets look like (its README has no others), and anything as long and as mixed as
    /// a verifier, a private key, or a hash of one.
    private static let shapes = [
        "(ref|cod|tok)-[0-9a-f]{8,}", "eyJ[A-Za-z0-9_-]{16,}", "\\b[0-9a-f]{40,}\\b",
        "(?=[A-Za-z0-9_-]*[a-z])(?=[A-Za-z0-9_-]*[A-Z])(?=[A-Za-z0-9_-]*[0-9])[A-Za-z0-9_-]{43,}",
        "-----BEGIN",
    ]

    /// What a pushed request is referred to by: shown in order to be opened, and worth nothing without the key.
    private static let requestURI = "request_uri(:|%3A)[A-Za-z0-9_-]+"

    /// Everything in the text that may be a secret.
    package func findings(in text: String) -> [String] {
        var rest = text
        rest = rest.replacingOccurrences(of: Self.requestURI, with: " ", options: .regularExpression)
        for place in harmless { rest = rest.replacingOccurrences(of: place, with: " ") }
        let findings = Self.shapes.flatMap { Self.matches(of: $0, in: rest) }
            .filter { !$0.hasPrefix("bskyauth-test-") }
        return findings + dressed.filter { rest.contains($0) }
    }

    /// The known secrets in bytes of any kind, as of a sealed file: there all looks random.
    package func findings(inBytes bytes: Data) -> [String] {
        dressed.filter { bytes.range(of: Data($0.utf8)) != nil }
            + keys.filter { bytes.range(of: $0) != nil }.map { "a key of \($0.count) bytes" }
    }

    /// Plain, percent-encoded, and as its bytes.
    package static func dresses(_ secret: String) -> [String] {
        let percent = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
        return [secret, percent] + dresses(Data(secret.utf8))
    }

    /// Hex, and base64 of either alphabet: what of it is the secret's own, wherever in something longer it begins.
    package static func dresses(_ secret: Data) -> [String] {
        let hex = secret.map { String(format: "%02x", $0) }.joined()
        let parts = (0..<3).map { base64(of: secret, at: $0) }.filter { !$0.isEmpty }
        let safe = parts.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
        return Set([hex, hex.uppercased()] + parts + safe).sorted()
    }

    /// The characters that no neighbour has a part in, with so many bytes of one before it.
    private static func base64(of secret: Data, at offset: Int) -> String {
        let text = (Data(count: offset) + secret).base64EncodedString()
        let rest = (offset + secret.count) % 3
        return String(text.dropFirst(offset == 0 ? 0 : offset + 1).dropLast(rest == 0 ? 0 : 4 - rest))
    }

    private static func matches(of pattern: String, in text: String) -> [String] {
        guard let expression = try? NSRegularExpression(pattern: pattern) else { return ["bad pattern"] }
        let range = NSRange(text.startIndex..., in: text)
        return expression.matches(in: text, range: range).compactMap { match in
            Range(match.range, in: text).map { String(text[$0]) }
        }
    }
}
