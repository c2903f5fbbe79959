internal import Cryptography
internal import JSON

extension AccessToken {
    /// The thumbprint of the key that the token says it is bound to (`cnf.jkt`, RFC 9449 §6.1); nil for a
    /// token that says none, as an opaque one does.
    ///
    /// The one thing that is ever read out of a token, and good for one purpose: to refuse a key that another
    /// machine has sent along and that can't be the token's. Nothing is allowed because of it, since no
    /// signature is checked (protocol:R44).
    package var confirmedThumbprint: String? {
        let parts = reveal().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
            let claims = try? JSONParser.parse(payload)
        else { return nil }
        return claims["cnf"]?["jkt"]?.string
    }
}
