internal import ATPCryptography
package import ATPJSON

/// A token that can be revoked (RFC 7009 §2.1).
package protocol RevocableToken: Sendable {
    /// The token as text, for the wire and the vault only.
    func reveal() -> String
}

/// Secret text in memory that is wiped after use.
private struct SecretText: Sendable, Equatable {
    private let bytes: SecretBytes

    init(_ text: String) {
        bytes = SecretBytes(Array(text.utf8))
    }

    func reveal() -> String { String(decoding: bytes.bytes, as: UTF8.self) }

    var fingerprint: String { Base64URL.encode(SHA256.hash(bytes.bytes)) }
}

/// A token for requests to a resource server, bound to a key (RFC 9449 §7). Tokens are opaque; see ``claims`` for
/// the exception (protocol:R44).
package struct AccessToken: RevocableToken, Equatable, CustomStringConvertible {
    private let text: SecretText

    package init(_ text: String) {
        self.text = SecretText(text)
    }

    package func reveal() -> String { text.reveal() }

    /// The SHA-256 hash in base64url, to compare tokens without storing them. It is also the `ath` of a proof
    /// (RFC 9449 §4.2).
    package var fingerprint: String { text.fingerprint }

    package var description: String { "<redacted>" }
}

/// A token that gets new tokens for a session. It works once (protocol:R63).
package struct RefreshToken: RevocableToken, Equatable, CustomStringConvertible {
    private let text: SecretText

    package init(_ text: String) {
        self.text = SecretText(text)
    }

    package func reveal() -> String { text.reveal() }

    /// The SHA-256 hash in base64url, to compare tokens without storing them.
    package var fingerprint: String { text.fingerprint }

    package var description: String { "<redacted>" }
}

/// The code of a redirect, which is exchanged for tokens once (RFC 6749 §4.1.2, protocol:R42).
package struct AuthorizationCode: Sendable, Equatable, CustomStringConvertible {
    private let text: SecretText

    package init(_ text: String) {
        self.text = SecretText(text)
    }

    package func reveal() -> String { text.reveal() }

    /// The SHA-256 hash in base64url, to compare codes without storing them.
    package var fingerprint: String { text.fingerprint }

    package var description: String { "<redacted>" }
}

extension AccessToken {
    /// The claims of a token that is a JWT (RFC 7519 §3). Nil for an opaque token.
    ///
    /// The signature is not checked, and clients must treat tokens as opaque (protocol:R44). Use the claims only
    /// for hints and refusals, never to allow anything.
    package var claims: JSONValue? {
        let parts = reveal().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]) else { return nil }
        return try? JSONParser.parse(payload)
    }

    /// The thumbprint of the key in the token's claims (`cnf.jkt`, RFC 9449 §6.1). Nil if the token names no key.
    ///
    /// Use it only to refuse an imported key that can't belong to the token.
    package var confirmedThumbprint: String? { claims?["cnf"]?["jkt"]?.string }
}
