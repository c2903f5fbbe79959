internal import Cryptography
package import JSON

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
