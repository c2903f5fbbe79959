internal import ATPJSON
internal import ATPNetworking
internal import ATProtoCurl
internal import Foundation
internal import HTTPTypes
internal import OAuthDPoP

/// Logs in to a server of plain OAuth with pushed requests and DPoP, with nothing of AT Protocol:
/// `bskyauth-plain-login ISSUER CLIENT_ID REDIRECT_URI SCOPE RESOURCE_URL`.
///
/// It writes a JSON object a line: the URL for the browser, and what became of each step after the redirect's URL was read
/// from standard input. It calls the resource with the first tokens, with refreshed ones, and after a revocation.
@main struct PlainLogin {
    private let issuer: Issuer
    private let client: Client
    private let redirectURI: String
    private let scope: Scope
    private let resource: HTTPURL
    private let key: DPoPKey
    private let memory = ServerMemory()
    private let transport: any HTTPTransport

    static func main() async {
        do {
            guard CommandLine.arguments.count == 6 else { throw Failure("five arguments are needed") }
            try await PlainLogin(Array(CommandLine.arguments.dropFirst())).run()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    private init(_ words: [String]) throws {
        issuer = try Issuer(validating: words[0], profile: .plain, policy: NetworkPolicy())
        client = Client(ClientID(words[1]))
        redirectURI = words[2]
        scope = Scope(words[3])
        resource = try HTTPURL(validating: words[4])
        key = try DPoPKey()
        let configuration = CurlConfiguration(
            userAgent: "bskyauth-plain-login", environment: ProcessInfo.processInfo.environment)
        transport = CurlTransport(policy: NetworkPolicy(), configuration: configuration)
    }

    private func run() async throws {
        let metadata = try await MetadataClient(
            transport: transport, profile: .plain, policy: NetworkPolicy()
        ).authorizationServer(issuer: issuer, protecting: nil)
        let server = AuthorizationServer(
            metadata: metadata, transport: transport, nonces: memory, clock: memory, clientKey: nil)

        let first = try await tokens(of: server)
        write([
            "scope": .string((first.scope ?? scope).description),
            "expires_in": JSONValue(first.expiresIn ?? 0),
        ])
        try await call(with: first.accessToken)

        guard let refreshToken = first.refreshToken else { throw Failure("there is no refresh token") }
        let second = try await accepted(
            try await server.refresh(refreshToken, client: client, key: key), of: server)
        write(["refreshed": true])
        try await call(with: second.accessToken)

        try await revoke(second.refreshToken ?? refreshToken, at: server)
        write(["revoked": true])
        try await call(with: second.accessToken)
    }

    /// Runs the code flow, with the redirect's URL from standard input.
    private func tokens(of server: AuthorizationServer) async throws -> TokenResponse {
        let (state, verifier) = (try State(), try CodeVerifier())
        let pushed = try await server.push(
            PushedAuthorizationRequest(
                client: client, redirectURI: redirectURI, scope: scope, state: state,
                challenge: verifier.challenge), key: key)
        write(["url": .string(server.authorizationURL(for: pushed, clientID: client.id).description)])
        guard let redirect = readLine(), let query = try HTTPURL(validating: redirect).query else {
            throw Failure("there is no redirect")
        }
        let response = try AuthorizationResponse(
            query: query, expectedState: state, issuer: issuer,
            needsIssuer: server.metadata.namesIssuerInRedirects)
        let tokens = try await server.exchange(
            response.code, verifier: verifier, redirectURI: redirectURI, client: client, key: key)
        return try await accepted(tokens, of: server)
    }

    /// Revokes tokens that are not acceptable. What is wrong with them is told even if that fails.
    private func accepted(_ tokens: TokenResponse, of server: AuthorizationServer) async throws
        -> TokenResponse
    {
        do { try tokens.validate(for: .plain) } catch let problem {
            do { try await revoke(tokens.refreshToken ?? tokens.accessToken, at: server) } catch {
                throw Failure("\(problem), and the revocation failed: \(error)")
            }
            throw problem
        }
        return tokens
    }

    private func revoke(_ token: any RevocableToken, at server: AuthorizationServer) async throws {
        try await server.revoke(token, client: client, key: key)
    }

    private func call(with token: AccessToken) async throws {
        let sender = DPoPClient(transport: transport, nonces: memory, clock: memory)
        let request = TransportRequest(method: .get, url: resource)
        let response =
            switch try await sender.sendToResourceServer(request, key: key, accessToken: token) {
            case .answered(let response), .invalidToken(let response): response
            }
        let body = String(decoding: try await response.body.collect(upTo: 65536), as: UTF8.self)
        write(["status": JSONValue(Int64(response.status)), "body": .string(body)])
    }

    private func write(_ line: JSONValue) {
        FileHandle.standardOutput.write(Data("\(line.text)\n".utf8))
    }
}
