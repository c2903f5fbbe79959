internal import Cryptography
package import FoundationEssentials
internal import JSON

/// A rotation that was about to spend a refresh token. The intent is written before the token is sent. It stays if it
/// is unknown whether the token was spent.
///
/// In JSON: `token`, `at` in milliseconds since 1970, and `attempt`. Unknown members are ignored.
package struct RotationIntent: Sendable, Hashable {
    /// The fingerprint of the token.
    package let tokenFingerprint: String
    /// When the rotation began, to the millisecond.
    package let startedAt: Date
    /// The number of attempts with this token, including this one.
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
