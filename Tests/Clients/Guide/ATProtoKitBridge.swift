import ATPNetworking
import ATProtoSessions
import ATProtoXRPC
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends ATProtoKit's requests with an `Agent`, which refreshes the session, makes the proofs and answers the nonces.
///
/// Of a request it takes the method, the parameters, the body and three header fields: the type of the body, the proxy and the
/// labelers. So it drops the `Authorization` field. A request as the account goes to the account's server only.
struct AgentExecutor: ATRequestExecutor {
    let client: ATProtoClient
    let account: UUID
    /// For requests without an account.
    let transport: any HTTPTransport

    /// The longest answer, in bytes.
    private static let longestAnswer = 64 << 20

    func execute(
        _ request: URLRequest, authorizationRequirement: ATRequestAuthorizationRequirement
    ) async throws -> (Data, URLResponse) {
        guard let url = request.url, let address = try? HTTPURL(validating: url.absoluteString),
            address.path.hasPrefix("/xrpc/"), request.httpBodyStream == nil
        else { throw URLError(.unsupportedURL) }
        let response = try await agent(for: request, to: address.origin, authorizationRequirement).send(
            try Self.method(of: request), String(address.path.dropFirst("/xrpc/".count)),
            parameters: Self.parameters(of: url), body: request.httpBody.map { .bytes(Array($0)) } ?? .none,
            contentType: request.value(forHTTPHeaderField: "Content-Type") ?? "application/json")
        let body = try await response.body.collect(upTo: Self.longestAnswer)
        let fields = Dictionary(response.headerFields.map { ($0.name.rawName, $0.value) }) { "\($0), \($1)" }
        guard
            let head = HTTPURLResponse(
                url: url, statusCode: response.status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { throw URLError(.badServerResponse) }
        return (Data(body), head)
    }

    private func agent(
        for request: URLRequest, to server: Origin, _ requirement: ATRequestAuthorizationRequirement
    ) async throws -> Agent {
        var agent: Agent
        switch requirement {
        case .none:
            agent = try Agent(anonymouslyAt: server.description, transport: transport)
        case .session:
            // If the account has moved, ATProtoKit has to hear of its new server: `synchronizeSession()`.
            guard try await client.accounts.contains(where: { $0.id == account && $0.pds == server }) else {
                throw URLError(.userAuthenticationRequired)
            }
            agent = client.agent(for: account)
        }
        if let service = request.value(forHTTPHeaderField: "atproto-proxy") {
            agent = try agent.proxied(to: service)
        }
        if let labelers = request.value(forHTTPHeaderField: "atproto-accept-labelers") {
            agent = try agent.accepting(
                labelers: labelers.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        }
        return agent
    }

    private static func method(of request: URLRequest) throws -> XRPCMethod {
        switch request.httpMethod {
        case "GET", nil: .query
        case "POST": .procedure
        default: throw URLError(.unsupportedURL)
        }
    }

    private static func parameters(of url: URL) -> XRPCParameters {
        var parameters = XRPCParameters()
        for item in URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? [] {
            parameters.append(item.name, .init(item.value ?? ""))
        }
        return parameters
    }
}

/// What ATProtoKit has to know of an account. The store is that of the client.
func context(
    of id: UUID, in store: any SessionStore
) async throws -> SessionAuthorizationContext? {
    let (account, session) = (try await store.account(id), try await store.session(id))
    guard let server = URL(string: account.pds.description) else { return nil }
    return SessionAuthorizationContext(
        sessionDID: account.did.description, handle: account.handle?.description, serviceEndpoint: server,
        grantedScopes: Set(session.grantedScope.split(separator: " ").map(String.init)))
}

/// The configuration for `ATProtoKit.createOAuthSession(sessionConfiguration:)`.
func configuration(
    of account: Account, at client: ATProtoClient, in store: any SessionStore, transport: any HTTPTransport
) -> ATOAuthSessionConfiguration {
    ATOAuthSessionConfiguration(
        pdsURL: account.pds.description,
        requestExecutor: AgentExecutor(client: client, account: account.id, transport: transport),
        contextProvider: { try await context(of: account.id, in: store) },
        refreshHandler: {
            try await client.refresh(account.id)
            return try await context(of: account.id, in: store)
        },
        deletionHandler: { try await client.logOut(account.id) })
}
