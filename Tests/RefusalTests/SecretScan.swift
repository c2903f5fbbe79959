import EndToEndSupport
import Foundation

/// Looks for secrets in what a program said: tokens and codes by their shape, known texts in every dress.
struct SecretScan {
    /// Texts that must not appear, as a passphrase.
    var known: [String] = []
    /// Places that look random and are not secret.
    var harmless: [String] = []

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
    func findings(in text: String) -> [String] {
        var rest = text
        rest = rest.replacingOccurrences(of: Self.requestURI, with: " ", options: .regularExpression)
        for place in harmless { rest = rest.replacingOccurrences(of: place, with: " ") }
        var findings = Self.shapes.flatMap { Self.matches(of: $0, in: rest) }
            .filter { !$0.hasPrefix("bskyauth-test-") }
        for secret in known.flatMap(Self.dresses) where rest.contains(secret) { findings.append(secret) }
        return findings
    }

    /// Plain, base64, hex and percent-encoded.
    static func dresses(_ secret: String) -> [String] {
        let bytes = Data(secret.utf8)
        let hex = bytes.map { String(format: "%02x", $0) }.joined()
        let percent = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
        return [secret, bytes.base64EncodedString().trimmingCharacters(in: ["="]), hex, percent]
    }

    private static func matches(of pattern: String, in text: String) -> [String] {
        guard let expression = try? NSRegularExpression(pattern: pattern) else { return ["bad pattern"] }
        let range = NSRange(text.startIndex..., in: text)
        return expression.matches(in: text, range: range).compactMap { match in
            Range(match.range, in: text).map { String(text[$0]) }
        }
    }
}
