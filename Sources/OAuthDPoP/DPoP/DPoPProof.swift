package import ATPCryptography
internal import ATPJSON
package import ATPNetworking
package import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The proof that the holder of a key sends one request (RFC 9449 §4.2, protocol:R49-R54).
package enum DPoPProof {
    /// Makes a proof for one request. Every proof has a new `jti` (protocol:R53).
    ///
    /// - Parameters:
    ///   - url: the URL of the request. The proof leaves out its query (protocol:R51).
    ///   - issuedAt: a time that is not ahead of the server's clock (protocol:12.4).
    ///   - accessToken: the token of the request, for resource servers only (protocol:R50).
    package static func make(
        key: any ProofSigner, method: HTTPRequest.Method, url: HTTPURL, issuedAt: Date, nonce: String? = nil,
        accessToken: AccessToken? = nil
    ) async throws(CryptographyError) -> String {
        var claims: JSONObject = [
            "jti": .string(Base64URL.encode(try RandomBytes.generate(16))),
            "htm": .string(method.rawValue),
            "htu": .string(url.withoutQuery),
            "iat": JSONValue(Int64(issuedAt.timeIntervalSince1970.rounded(.down))),
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        if let accessToken { claims["ath"] = .string(accessToken.fingerprint) }
        return try await key.proof(.object(claims))
    }
}

extension HTTPFields {
    /// The DPoP proof of a request (RFC 9449 §4.1).
    package var dpopProof: String? {
        get { Self.dpop.flatMap { self[$0] } }
        set {
            guard let name = Self.dpop else { return }
            self[name] = newValue
        }
    }

    /// The nonce that the server wants in the next proof. Nil if it is too long or has characters that
    /// RFC 9449 §8.1 does not allow.
    var suppliedNonce: String? {
        guard let nonce = Self.dpopNonce.flatMap({ onlyValue(of: $0) }), (1...512).contains(nonce.utf8.count),
            nonce.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c })
        else { return nil }
        return nonce
    }

    private static let dpop = HTTPField.Name("DPoP")
    private static let dpopNonce = HTTPField.Name("DPoP-Nonce")
}
