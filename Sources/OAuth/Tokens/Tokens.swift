internal import Cryptography
package import JSON

/// A token that a server can be asked to forget (RFC 7009 §2.1).
package protocol RevocableToken: Sendable {
    /// The token itself, for the wire and the vault only.
    func reveal() -> String
}

/// Text that must not be seen, kept in memory that is wiped.
private struct SecretText: Sendable, Equatable {
    private let bytes: SecretBytes

    init(_ text: String) {
        bytes = SecretBytes(Array(text.utf8))
    }

    func reveal() -> String { String(decoding: bytes.bytes, as: UTF8.self) }

    var fingerprint: String { Base64URL.encode(SHA256.hash(bytes.bytes)) }
}

/// What opens a resource server, together with the key it is bound to (RFC 9449 §7). Opaque: what can be read out
/// of some (``claims``) is a hint or a reason to refuse, and never to allow anything (protocol:R44).
package struct AccessToken: RevocableToken, Equatable, CustomStringConvertible {
    private let text: SecretText

    package init(_ text: String) {
        self.text = SecretText(text)
    }

    package func reveal() -> String { text.reveal() }

    /// SHA-256 in base64url, to tell tokens apart without holding them. It is also the `ath` of a proof
    /// (RFC 9449 §4.2).
    package var fingerprint: String { text.fingerprint }

    package var description: String { "<redacted>" }
}

/// What a session is renewed with, once (protocol:R63).
package struct RefreshToken: RevocableToken, Equatable, CustomStringConvertible {
    private let text: SecretText

    package init(_ text: String) {
        self.text = SecretText(text)
    }

    package func reveal() -> String { text.reveal() }

    /// SHA-256 in base64url, to tell tokens apart without holding them.
    package var fingerprint: String { text.fingerprint }

    package var description: String { "<redacted>" }
}

/// What a browser brings back and a token request trades in, once (RFC 6749 §4.1.2, protocol:R42).
package struct AuthorizationCode: Sendable, Equatable, CustomStringConvertible {
    private let text: SecretText

    package init(_ text: String) {
        self.text = SecretText(text)
    }

    package func reveal() -> String { text.reveal() }

    /// SHA-256 in base64url, to tell codes apart without holding them.
    package var fingerprint: String { text.fingerprint }

    package var description: String { "<redacted>" }
}

extension AccessToken {
    /// What the token says of itself, where it is a JWT (RFC 7519 §3); nil for any other, as an opaque one.
    ///
    /// No signature is checked, and a token is its server's business (protocol:R44): good for hints and for
    /// refusals, and nothing is ever allowed because of it.
    package var claims: JSONValue? {
        let parts = reveal().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]) else { return nil }
        return try? JSONParser.parse(payload)
    }

    /// The thumbprint of the key that the token says it is bound to (`cnf.jkt`, RFC 9449 §6.1); nil for a
    /// token that says none, as an opaque one does.
    ///
    /// Good for one purpose: to refuse a key that another machine has sent along and that can't be the token's.
    package var confirmedThumbprint: String? { claims?["cnf"]?["jkt"]?.string }
}
