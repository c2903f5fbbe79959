internal import ATPCryptography
internal import ATPJSON

/// The answer of an assertion backend.
package struct BackendAssertion: Sendable {
    /// The client that the backend speaks for.
    package let clientID: ClientID
    /// The `kid` of the client's key.
    package let keyID: String
    /// The assertion, a JWT in compact form. It is a secret for as long as it is valid.
    let text: String

    /// What an assertion must be for.
    struct Purpose {
        let issuer: String
        /// The thumbprint of the session key.
        let thumbprint: String
        /// The present time at the backend, in seconds since 1970.
        let now: Int64
        /// The client and the key of the session; nil for a login, which learns them.
        let known: (clientID: ClientID, keyID: String)?
    }

    /// The longest time in seconds for which an assertion may be valid. Those of the contract last for a minute.
    private static let longestLife: Int64 = 300

    /// Reads an answer. The signature is not checked, because only the authorization server has to believe the assertion.
    ///
    /// - Throws: ``OAuthError/Code/wrongAssertion(_:)`` if the assertion is for something else.
    init(_ body: [UInt8], for purpose: Purpose) throws(OAuthError) {
        let answer = try? JSONParser.parse(body)
        guard let clientID = answer?["client_id"]?.string, let text = answer?["client_assertion"]?.string
        else { throw Self.wrong("the answer has no assertion") }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty && Base64URL.decode($0) != nil }),
            let header = Self.json(parts[0]), let claims = Self.json(parts[1])
        else { throw Self.wrong("it is no JWT") }
        guard let keyID = header["kid"]?.string, !keyID.isEmpty else { throw Self.wrong("kid") }
        guard claims["iss"]?.string == clientID else { throw Self.wrong("iss") }
        guard claims["sub"]?.string == clientID else { throw Self.wrong("sub") }
        guard claims["aud"]?.string == purpose.issuer else { throw Self.wrong("aud") }
        guard claims["cnf"]?["jkt"]?.string == purpose.thumbprint else { throw Self.wrong("cnf") }
        guard let end = claims["exp"]?.integer, end > purpose.now, end - purpose.now <= Self.longestLife
        else { throw Self.wrong("exp") }
        if let known = purpose.known {
            guard clientID == known.clientID.description else { throw Self.wrong("client_id") }
            // The reference server ends a session when another key signs for it.
            guard keyID == known.keyID else { throw Self.wrong("kid") }
        }
        self.clientID = ClientID(clientID)
        self.keyID = keyID
        self.text = text
    }

    private static func json(_ part: Substring) -> JSONValue? {
        Base64URL.decode(part).flatMap { try? JSONParser.parse($0) }
    }

    private static func wrong(_ part: String) -> OAuthError {
        OAuthError(.wrongAssertion(part), endpoint: .clientAssertion)
    }
}
