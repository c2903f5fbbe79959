internal import ATPCryptography
internal import ATPJSON
internal import ATProtoIdentity
package import ATProtoSessions
internal import FoundationEssentials
package import OAuthDPoP

/// A session as the library `@atproto/oauth-client-node` gives it to its session store (`NodeSavedSession`): a JSON object
/// with `dpopJwk`, `tokenSet` and, in newer versions, `authMethod`.
///
/// It has everything that a session needs but the client ID, which that library takes from its configuration.
package struct NodeSession: Sendable {
    let did: DID
    /// The issuer, as the file has it. It is not verified.
    let issuer: String
    let accessToken: AccessToken
    let refreshToken: RefreshToken?
    /// When the access token ends; nil if neither the file nor the token says.
    let accessExpiresAt: Date?
    let scope: Scope
    let key: DPoPKey
    /// How the client names itself; nil in files of older versions, which don't say it.
    let authentication: ClientAuthentication?

    /// Reads a session. The two halves of the key belong together, and the access token is bound to it if it says so.
    package init(_ bytes: [UInt8]) throws(TakeoverProblem) {
        guard let json = try? JSONParser.parse(bytes), json.object != nil else {
            throw .unreadable("it is no JSON object")
        }
        guard let tokens = json["tokenSet"], tokens.object != nil else {
            throw .unreadable("it has no tokenSet")
        }
        func text(_ name: String) throws(TakeoverProblem) -> String {
            guard let text = tokens[name]?.string, !text.isEmpty else {
                throw .unreadable("tokenSet has no text \(name)")
            }
            return text
        }
        guard let did = try? DID(validating: try text("sub")) else {
            throw .unreadable("tokenSet.sub is no DID")
        }
        guard try text("token_type") == "DPoP" else { throw .unreadable("tokenSet.token_type is not DPoP") }
        self.did = did
        issuer = try text("iss")
        accessToken = AccessToken(try text("access_token"))
        if let token = tokens["refresh_token"], !token.isNull {
            refreshToken = RefreshToken(try text("refresh_token"))
        } else {
            refreshToken = nil
        }
        scope = Scope(try text("scope"))
        guard scope.contains("atproto") else { throw .unreadable("tokenSet.scope is without atproto") }
        accessExpiresAt =
            try Self.expiry(tokens["expires_at"])
            ?? accessToken.claims?["exp"]?.integer.flatMap { Date(recorded: $0) }
        key = try Self.key(json["dpopJwk"])
        authentication = try Self.authentication(json["authMethod"])
        guard accessToken.fitsHeader else { throw .unreadable("tokenSet.access_token can't be sent") }
        if let thumbprint = accessToken.confirmedThumbprint, thumbprint != key.thumbprint {
            throw .tokenOfAnotherKey
        }
    }

    /// The client that the session belongs to, as the user names it or the access token tells it.
    package func client(named: ClientID?) throws(TakeoverProblem) -> Client {
        let told = accessToken.claims?["client_id"]?.string
        if let named, let told, named.description != told { throw .issuedToAnotherClient(told) }
        guard let id = named ?? told.map({ ClientID($0) }) else { throw .clientNotNamed }
        return Client(id, authentication: authentication ?? .none)
    }

    /// Whether the file and the access token say which client the session belongs to. Otherwise only a refresh shows
    /// whether it is the right one, because requests to other servers don't name it.
    package var namesClient: Bool {
        authentication != nil && accessToken.claims?["client_id"]?.string != nil
    }

    private static func key(_ json: JSONValue?) throws(TakeoverProblem) -> DPoPKey {
        guard let json, let key = try? DPoPKey(privateKeyText: json.text) else {
            throw .unreadable("dpopJwk is no private key of the kind EC on P-256")
        }
        do { try key.verify() } catch { throw .keyHalvesDiffer }
        return key
    }

    private static func expiry(_ json: JSONValue?) throws(TakeoverProblem) -> Date? {
        guard let json, !json.isNull else { return nil }
        guard let text = json.string else { throw .unreadable("tokenSet.expires_at is no date") }
        for style in [Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle()] {
            if let date = try? style.parse(text) { return date }
        }
        throw .unreadable("tokenSet.expires_at is no date")
    }

    private static func authentication(_ json: JSONValue?) throws(TakeoverProblem) -> ClientAuthentication? {
        guard let json, !json.isNull else { return nil }
        switch json["method"]?.string {
        case "none": return ClientAuthentication.none
        case "private_key_jwt":
            guard let keyID = json["kid"]?.string else { throw .unreadable("authMethod has no kid") }
            return .privateKeyJWT(keyID: keyID)
        default: throw .unreadable("authMethod.method is neither none nor private_key_jwt")
        }
    }
}

/// Why a session of another program can't be taken over. Nothing was saved.
package enum TakeoverProblem: Error, Sendable {
    /// The file is not such a session. The text says what is wrong with it.
    case unreadable(String)
    /// The public half of the key is not that of its private half.
    case keyHalvesDiffer
    /// The access token is bound to another key.
    case tokenOfAnotherKey
    /// Neither the user nor the access token names the client.
    case clientNotNamed
    /// The access token was issued to another client than the user named.
    case issuedToAnotherClient(String)
    /// The server did not accept the session.
    case refused
    /// The server knows the session as another account's.
    case anotherAccount
    /// An account here has the same session.
    case alreadyHere(Account)
    /// An account here has an earlier state of the session. Its refresh token is spent.
    case laterThanHere(Account)
}
