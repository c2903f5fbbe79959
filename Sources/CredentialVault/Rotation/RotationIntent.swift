internal import Cryptography
package import FoundationEssentials
internal import JSON

/// What is known before a refresh token is spent, and stays when nobody knows whether it was.
package struct RotationIntent: Sendable, Hashable {
    /// Which token it was about to spend.
    package let tokenFingerprint: String
    /// When, to the millisecond.
    package let startedAt: Date
    /// How often this token was tried, with this time.
    package let attempt: Int
}

extension RotationIntent {
    var content: SecretBytes {
        let milliseconds = Int64(exactly: (startedAt.timeIntervalSince1970 * 1000).rounded()) ?? 0
        let json: JSONValue = [
            "token": .string(tokenFingerprint), "at": JSONValue(milliseconds), "attempt": JSONValue(attempt),
        ]
        return SecretBytes(Array(json.text.utf8))
    }

    init?(_ content: SecretBytes) throws(JSONError) {
        let json = try JSONParser.parse(content.bytes)
        guard let token = json["token"]?.string, let at = json["at"]?.integer,
            let attempt = json["attempt"]?.integer
        else { return nil }
        tokenFingerprint = token
        startedAt = Date(timeIntervalSince1970: Double(at) / 1000)
        self.attempt = Int(attempt)
    }
}
