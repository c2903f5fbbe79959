package import ATPNetworking
package import ATProtoIdentity
package import ATProtoSessions
package import ATProtoXRPC
internal import HTTPTypes
internal import Synchronization

/// Calls a service apart from the account's server, as the account. Each request has a token of its own, because services
/// take a token once. The service gets no token of the account and no proof (protocol:X13).
package final class ServiceXRPCClient: XRPCClient {
    private let environment: SessionEnvironment
    private let account: Account
    private let service: ServiceReference
    private let namesService: Bool
    private let tokens: ServiceTokenFlow
    /// The service's server, when it has been looked up.
    private let endpoint = Mutex<Origin?>(nil)

    /// - Parameter namesService: whether the audience of the tokens has the name of the service too.
    package init(
        _ environment: SessionEnvironment, as account: Account, to service: ServiceReference,
        namesService: Bool, lockTimeout: Duration
    ) {
        self.environment = environment
        self.account = account
        self.service = service
        self.namesService = namesService
        tokens = ServiceTokenFlow(environment, as: account, lockTimeout: lockTimeout)
    }

    package func send(_ request: XRPCRequest, waiting most: Duration?) async throws -> TransportResponse {
        let server = try await server()
        let token = try await tokens.token(
            for: ServiceTokenRequest(
                .service(service), request.nsid, lifetime: Self.lifetime, namesService: namesService),
            waiting: most)
        var sent = request.transportRequest(to: server)
        sent.headerFields[.authorization] = "Bearer \(token.reveal())"
        let response = try await environment.network.transport.send(sent)
        guard !(300..<400).contains(response.status) else {
            response.body.cancel()
            throw CoreError.serviceRedirects(service, server)
        }
        return response
    }

    package func refusal(of request: XRPCRequest, _ error: XRPCError) -> CallRefusal {
        let server = endpoint.withLock { $0 } ?? account.pds
        return CallRefusal(request, error, from: .atService(account, server, namesService: namesService))
    }

    /// The server that the DID document names.
    private func server() async throws -> Origin {
        if let known = endpoint.withLock({ $0 }) { return known }
        do {
            let found = try await environment.network.identities.endpoint(of: service)
            endpoint.withLock { $0 = found }
            return found
        } catch let error {
            throw CoreError.unusableService(service, error)
        }
    }

    /// Enough for one request, also if the clocks differ by some seconds.
    private static let lifetime = Duration.seconds(60)
}
