package import ATPNetworking
internal import ATProtoGateway
package import ATProtoIdentity
package import ATProtoSessions
package import ATProtoVault
package import ATProtoXRPC
internal import HTTPTypes
package import OAuthDPoP

/// Sends XRPC calls to one server.
package protocol XRPCClient: Sendable {
    /// Sends a call. Any response is a success, whatever its status.
    ///
    /// - Parameter most: how long to wait for another process that uses the account. An earlier refresh is not waited for
    ///   then. Nil for the usual limits.
    func send(_ request: XRPCRequest, waiting most: Duration?) async throws -> TransportResponse

    /// A response that is not a success, as an error.
    func refusal(of request: XRPCRequest, _ error: XRPCError) async -> CallRefusal
}

extension XRPCClient {
    package func send(_ request: XRPCRequest) async throws -> TransportResponse {
        try await send(request, waiting: nil)
    }

    /// Sends a call. A response that is not a success is thrown as ``CoreError/callRefused(_:)``, with the beginning of
    /// its body.
    package func call(_ request: XRPCRequest) async throws -> TransportResponse {
        try await accept(try await send(request), to: request)
    }

    /// The response to a call, if it is a success. See ``call(_:)``.
    func accept(_ response: TransportResponse, to request: XRPCRequest) async throws -> TransportResponse {
        guard !(200..<300).contains(response.status) else { return response }
        // If the body does not arrive, the status says enough.
        let body = (try? await response.body.beginning(upTo: CallRefusal.longestBody)) ?? []
        let error = XRPCError(status: response.status, headerFields: response.headerFields, body: body)
        var refusal = await refusal(of: request, error)
        refusal.response = response.with(body: body)
        throw CoreError.callRefused(refusal)
    }
}

/// A call that its server answered with an error.
package struct CallRefusal: Sendable {
    package enum Sender: Sendable {
        /// An account. The terms are nil if its session can't be read any more.
        case account(Account, LoginTerms?)
        /// An account that its server does not have, or has only as a deactivated copy, and where it is now.
        case inactiveAccount(Account, LoginTerms?, MoveFinder.Finding)
        /// A call without an account to this server.
        case anonymous(Origin)
        /// An account with a service token, at the server of a service.
        case atService(Account, Origin, namesService: Bool)
    }

    package let method: XRPCMethod
    package let nsid: NSID
    package let error: XRPCError
    /// What a session needs for the call; nil if that is not known here.
    package let needed: [PermissionScope]?
    /// What the session has, as far as its login said; nil if there is none.
    package let granted: Scope?
    /// Whether the caller named the service that the call is for.
    package let namesService: Bool
    package let sender: Sender
    /// The server's response, with at most ``longestBody`` bytes of its body, which can be read once.
    package fileprivate(set) var response: TransportResponse

    /// The longest body that is kept, in bytes. A longer one than ``XRPCError/longestBody`` has no error to read.
    static let longestBody = 1 << 20

    package init(_ request: XRPCRequest, _ error: XRPCError, from sender: Sender, granted: Scope? = nil) {
        method = request.method
        nsid = request.nsid
        self.error = error
        needed = CallPermissions.needed(for: request)
        self.granted = granted
        namesService = request.service != nil
        self.sender = sender
        response = TransportResponse(
            status: error.status, headerFields: [:], body: ResponseBody([]))
    }
}

/// Calls with the session of an account, at the account's own server.
package struct AccountXRPCClient: XRPCClient {
    private let account: Account
    private let accounts: VaultAccounts
    private let flow: CallFlow
    private let moves: MoveFinder
    private let lockTimeout: Duration

    package init(_ environment: SessionEnvironment, as account: Account, lockTimeout: Duration) {
        self.account = account
        self.lockTimeout = lockTimeout
        accounts = environment.accounts
        flow = CallFlow(environment.context, as: account.id)
        moves = MoveFinder(environment.network)
    }

    package func send(_ request: XRPCRequest, waiting most: Duration?) async throws -> TransportResponse {
        try await flow.send(request, lockTimeout: most ?? lockTimeout, awaitsRefresh: most == nil)
    }

    package func refusal(of request: XRPCRequest, _ error: XRPCError) async -> CallRefusal {
        let terms = accounts.terms(of: account)
        guard error.saysAccountIsNotActive else {
            return CallRefusal(
                request, error, from: .account(account, terms),
                granted: (try? accounts.session(account.id))?.scope)
        }
        let finding = await moves.find(
            account, issuer: (try? accounts.session(account.id))?.credential.oauth?.issuer)
        return CallRefusal(request, error, from: .inactiveAccount(account, terms, finding))
    }
}

extension VaultAccounts {
    /// The terms of the account's login; nil if its session is unreadable. If it is not known what the login asked for, it is the
    /// scope of the client, if that is one of the user's own.
    package func terms(of account: Account) -> LoginTerms? {
        guard let session = try? session(account.id) else { return nil }
        let terms = LoginTerms(session)
        guard case .oauth(nil, let client?) = terms,
            let own = try? ClientStore(vault).all().first(where: { $0.clientID == client.id })
        else { return terms }
        return terms.asking(for: own.scope)
    }
}

/// Calls without an account and without credentials, at any server.
package struct AnonymousXRPCClient: XRPCClient {
    private let transport: any HTTPTransport
    private let server: Origin

    package init(transport: any HTTPTransport, server: Origin) {
        self.transport = transport
        self.server = server
    }

    package func send(_ request: XRPCRequest, waiting most: Duration?) async throws -> TransportResponse {
        try await transport.send(request.transportRequest(to: server))
    }

    package func refusal(of request: XRPCRequest, _ error: XRPCError) -> CallRefusal {
        CallRefusal(request, error, from: .anonymous(server))
    }
}

/// Retries the calls of another client.
package struct RetryingXRPCClient: XRPCClient {
    private let client: any XRPCClient
    private let retries: RetryFlow

    package init(_ client: any XRPCClient, _ retries: RetryFlow) {
        self.client = client
        self.retries = retries
    }

    package func send(_ request: XRPCRequest, waiting most: Duration?) async throws -> TransportResponse {
        try await retries.send { rest async throws in try await client.send(request, waiting: rest) }
    }

    package func refusal(of request: XRPCRequest, _ error: XRPCError) async -> CallRefusal {
        await client.refusal(of: request, error)
    }
}

/// Reads each successful response of another client to its end, for pages. A body that breaks off is then an error of
/// the call, which can be retried.
package struct BufferingXRPCClient: XRPCClient {
    private let client: any XRPCClient
    /// The size limit of a response in bytes.
    private let longest: Int

    package init(_ client: any XRPCClient, longest: Int) {
        self.client = client
        self.longest = longest
    }

    package func send(_ request: XRPCRequest, waiting most: Duration?) async throws -> TransportResponse {
        let response = try await client.send(request, waiting: most)
        guard (200..<300).contains(response.status) else { return response }
        let body = try await response.body.collect(upTo: longest)
        return response.with(body: body)
    }

    package func refusal(of request: XRPCRequest, _ error: XRPCError) async -> CallRefusal {
        await client.refusal(of: request, error)
    }
}
