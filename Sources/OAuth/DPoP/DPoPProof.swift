package import Cryptography
package import FoundationEssentials
package import HTTPTypes
internal import JSON
package import Networking

/// The signed statement that the holder of a key makes one request (RFC 9449 §4.2, protocol:R49-R54).
package enum DPoPProof {
    /// Makes a proof, good for one request: its `jti` is fresh each time (protocol:R53).
    ///
    /// - Parameters:
    ///   - url: what is asked; its query is left out (protocol:R51).
    ///   - issuedAt: the server's time, which it must not be ahead of (protocol:12.4).
    ///   - accessToken: the token that goes along, at resource servers only (protocol:R50).
    package static func make(
        key: DPoPKey, method: HTTPRequest.Method, url: HTTPURL, issuedAt: Date, nonce: String? = nil,
        accessToken: AccessToken? = nil
    ) throws(CryptographyError) -> String {
        var claims: JSONObject = [
            "jti": .string(Base64URL.encode(try RandomBytes.generate(16))),
            "htm": .string(method.rawValue),
            "htu": .string(url.withoutQuery),
            "iat": JSONValue(Int64(issuedAt.timeIntervalSince1970.rounded(.down))),
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        if let accessToken { claims["ath"] = .string(accessToken.fingerprint) }
        return try key.sign(.object(claims))
    }
}

extension HTTPFields {
    /// The proof of possession that goes with a request (RFC 9449 §4.1).
    package var dpopProof: String? {
        get { Self.dpop.flatMap { self[$0] } }
        set {
            guard let name = Self.dpop else { return }
            self[name] = newValue
        }
    }

    /// The nonce that the next proof has to carry, where it is one: bounded, and of the characters that
    /// RFC 9449 §8.1 allows.
    var suppliedNonce: String? {
        guard let nonce = Self.dpopNonce.flatMap({ onlyValue(of: $0) }), (1...512).contains(nonce.utf8.count),
            nonce.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c })
        else { return nil }
        return nonce
    }

    private static let dpop = HTTPField.Name("DPoP")
    private static let dpopNonce = HTTPField.Name("DPoP-Nonce")
}
