package import ATPCryptography
internal import ATPJSON
internal import ATPNetworking

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Authenticates a confidential client to authorization servers with signed assertions (RFC 7523 §2.2). ``ClientKey`` holds the
/// key in this process; a program on a phone asks its own server instead, which alone has the key.
public protocol ClientAssertionSource: Sendable {
    /// The `kid` of the key in the client's metadata document. A server binds a session to the key of its login, so a source
    /// never signs with another key.
    var keyID: String { get }

    /// Makes an assertion for one request. Each call makes a new one, because servers refuse a `jti` that they have seen.
    ///
    /// - Parameters:
    ///   - clientID: the client, for the claims `iss` and `sub`.
    ///   - issuer: the authorization server, for the claim `aud`.
    ///   - issuedAt: a time for the claim `iat` that is not ahead of the server's clock.
    /// - Returns: a JWT in compact form, whose header names ``keyID``.
    /// - Throws: any error. Then nothing is sent. Its text appears in messages, so it must hold no secret.
    func assertion(clientID: String, issuer: String, issuedAt: Date) async throws -> String
}

/// The private key that authenticates a confidential client. It must differ from the session's ``DPoPKey``,
/// because servers refuse one key for both uses (protocol:R55).
public struct ClientKey: ClientAssertionSource, CustomStringConvertible {
    private let pair: KeyPair

    /// A new random key.
    ///
    /// - Throws: ``OAuthFailure/Code/cryptography`` if the system gives no random numbers.
    public init() throws(OAuthFailure) {
        do { try self.init(random: ()) } catch { throw OAuthFailure(error) }
    }

    /// A new random key, for callers that tell errors of the system apart.
    package init(random: Void) throws(CryptographyError) {
        pair = try KeyPair()
    }

    /// Reads the text of ``privateKeyText()``.
    ///
    /// - Throws: ``CryptographyError/invalidPrivateKey`` if the text is not a private P-256 key.
    package init(privateKeyText text: String) throws(CryptographyError) {
        pair = try KeyPair(privateKeyText: text)
    }

    /// A stored key. It is checked that its two halves belong together.
    ///
    /// - Parameter text: the key as a JWK with `d` (RFC 7517).
    /// - Throws: ``OAuthFailure/Code/cryptography`` if the text is not a private P-256 key.
    public init(privateJWK text: String) throws(OAuthFailure) {
        do {
            try self.init(privateKeyText: text)
            try verify()
        } catch {
            throw OAuthFailure(error)
        }
    }

    /// The public half of the key, for the client's metadata document.
    public var publicKey: PublicJWK { pair.publicKey }

    /// The `kid` of the key in the client's metadata document: its thumbprint (RFC 7638 §3).
    public var keyID: String { publicKey.thumbprint }

    /// Checks that the private key is valid and that the public key belongs to it.
    package func verify() throws(CryptographyError) {
        try pair.verify()
    }

    /// The private key as a JWK (RFC 7517). It is a secret: with it, anybody is the client.
    public func privateKeyText() -> String { pair.privateKeyText() }

    /// `<redacted>`.
    public var description: String { "<redacted>" }

    /// Makes an assertion with ES256 (RFC 7518 §3.4).
    public func assertion(clientID: String, issuer: String, issuedAt: Date) async throws -> String {
        try assertion(clientID: clientID, issuer: issuer, issuedAt: issuedAt, confirmation: nil)
    }

    /// Makes an assertion for the holder of a session key, as a client assertion backend does (proposal 0010 of
    /// bluesky-social). The claim `cnf` names the key (RFC 7800 §3.1, RFC 9449 §6.1). Servers that do not know the claim ignore
    /// it.
    ///
    /// - Parameters:
    ///   - clientID: the client, for the claims `iss` and `sub`.
    ///   - issuer: the authorization server, for the claim `aud`.
    ///   - issuedAt: a time for the claim `iat` that is not ahead of the server's clock.
    ///   - key: the public half of the session's ``DPoPKey``.
    /// - Returns: the assertion, a JWT in compact form that is good for a minute (RFC 7523 §3).
    /// - Throws: an error of cryptography, if nothing could be signed.
    public func assertion(
        clientID: String, issuer: String, issuedAt: Date, boundTo key: PublicJWK
    ) async throws -> String {
        try assertion(
            clientID: clientID, issuer: issuer, issuedAt: issuedAt,
            confirmation: ["jkt": .string(key.thumbprint)])
    }

    private func assertion(
        clientID: String, issuer: String, issuedAt: Date, confirmation: JSONValue?
    ) throws(CryptographyError) -> String {
        let time = Int64(issuedAt.timeIntervalSince1970.rounded(.down))
        let header: JSONValue = ["alg": "ES256", "typ": "JWT", "kid": .string(keyID)]
        var claims: JSONObject = [
            "iss": .string(clientID),
            "sub": .string(clientID),
            "aud": .string(issuer),
            "jti": .string(Base64URL.encode(try RandomBytes.generate(16))),
            "iat": JSONValue(time),
            "exp": JSONValue(time + Self.lifetime),
        ]
        if let confirmation { claims["cnf"] = confirmation }
        return try JWS.compact(header: header, claims: .object(claims)) {
            message throws(CryptographyError) in
            try pair.sign(message)
        }
    }

    /// The lifetime of an assertion in seconds. Servers refuse older assertions (protocol:R78).
    private static let lifetime: Int64 = 60
}

extension ClientAssertionSource {
    /// The form parameters that authenticate one request (RFC 7523 §2.2; protocol:R78, protocol:R79).
    ///
    /// - Parameter endpoint: the endpoint that errors name, unless the source names another.
    func parameters(
        authenticating client: ClientID, to issuer: Issuer, issuedAt: Date, endpoint: OAuthError.Endpoint
    ) async throws(OAuthError) -> FormParameters {
        let text: String
        do {
            text = try await assertion(
                clientID: client.description, issuer: issuer.description, issuedAt: issuedAt)
        } catch let error as OAuthError {
            throw error
        } catch let error as CryptographyError {
            throw OAuthError(.cryptography(error), endpoint: endpoint)
        } catch {
            let name = "the source of client assertions: \(UntrustedText.harmless("\(error)"))"
            throw OAuthError(.cryptography(.operationFailed(name)), endpoint: endpoint)
        }
        return [
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": text,
        ]
    }
}
