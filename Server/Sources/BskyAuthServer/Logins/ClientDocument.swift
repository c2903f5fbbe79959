internal import ATPNetworking
internal import FoundationEssentials
internal import OAuthDPoP

/// The client metadata document of the server (atproto.com/specs/oauth, Client ID Metadata Document).
struct ClientDocument: Encodable {
    let clientID: String
    let clientName: String
    let clientURI: String
    let redirectURIs: [String]
    let scope: String
    let applicationType = "web"
    let grantTypes = ["authorization_code", "refresh_token"]
    let responseTypes = ["code"]
    let dpopBoundAccessTokens = true
    let authMethod: String
    let authSigningAlgorithm: String?
    let jwks: ClientKeySet?

    init(_ configuration: Configuration, keys: [ClientKey]) {
        clientID = configuration.clientID
        clientName = configuration.appName
        clientURI = configuration.baseURL.description
        redirectURIs = [configuration.redirectURI]
        scope = configuration.scope
        authMethod = configuration.isConfidential ? "private_key_jwt" : "none"
        authSigningAlgorithm = configuration.isConfidential ? "ES256" : nil
        jwks = configuration.isConfidential ? ClientKeySet(keys) : nil
    }

    private enum CodingKeys: String, CodingKey {
        case clientID = "client_id"
        case clientName = "client_name"
        case clientURI = "client_uri"
        case redirectURIs = "redirect_uris"
        case scope
        case applicationType = "application_type"
        case grantTypes = "grant_types"
        case responseTypes = "response_types"
        case dpopBoundAccessTokens = "dpop_bound_access_tokens"
        case authMethod = "token_endpoint_auth_method"
        case authSigningAlgorithm = "token_endpoint_auth_signing_alg"
        case jwks
    }
}

/// The public halves of the client's keys (RFC 7517).
struct ClientKeySet: Encodable {
    let keys: [Key]

    struct Key: Encodable {
        let kty = "EC"
        let crv = "P-256"
        let x: String
        let y: String
        let kid: String
        let use = "sig"
        let alg = "ES256"
    }

    init(_ keys: [ClientKey]) {
        self.keys = keys.map {
            Key(x: Base64URL.encode($0.publicKey.x), y: Base64URL.encode($0.publicKey.y), kid: $0.keyID)
        }
    }
}
