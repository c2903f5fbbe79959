internal import ATProto
internal import BskyAuthCore
internal import HTTPTypes
internal import Networking
internal import OAuth

/// The caller of a method: an account, or no account.
protocol Caller: Sendable {
    /// The server of the call.
    var server: Origin { get }

    /// The header fields that identify the caller, with secrets replaced.
    func redactedCredentials() throws -> HTTPFields

    /// Sends a call and returns the server's response.
    func send(_ request: XRPCRequest) async throws -> TransportResponse

    /// The failure for a refused call.
    func failure(_ error: XRPCError, _ request: XRPCRequest) -> Failure
}

extension Caller {
    /// Sends a call that must succeed. Any other response is a failure, described by the beginning of its body.
    func call(_ request: XRPCRequest) async throws -> TransportResponse {
        let response = try await send(request)
        guard !(200..<300).contains(response.status) else { return response }
        // Without a body, the status is enough.
        let body = (try? await response.body.collect(upTo: XRPCError.longestBody)) ?? []
        let error = XRPCError(status: response.status, headerFields: response.headerFields, body: body)
        throw failure(error, request)
    }
}

/// An account, with its session and at its own server.
struct AccountCaller: Caller {
    let account: AccountProfile
    private let core: SessionEnvironment
    private let flow: CallFlow
    private let lockTimeout: Duration

    init(core: SessionEnvironment, account: AccountProfile, lockTimeout: Duration) {
        self.account = account
        self.core = core
        self.lockTimeout = lockTimeout
        flow = CallFlow(core, as: account.id)
    }

    var server: Origin { account.pds }

    func redactedCredentials() throws -> HTTPFields {
        switch try core.accounts.session(account.id).credential {
        case .oauth:
            var fields: HTTPFields = [.authorization: "DPoP \(Self.redacted)"]
            fields.dpopProof = Self.redacted
            return fields
        case .password: return [.authorization: "Bearer \(Self.redacted)"]
        }
    }

    private static let redacted = "<redacted>"

    func send(_ request: XRPCRequest) async throws -> TransportResponse {
        try await flow.send(request, lockTimeout: lockTimeout)
    }

    func failure(_ error: XRPCError, _ request: XRPCRequest) -> Failure {
        Self.failure(error, request, of: account, in: core.accounts)
    }

    /// The failure for a refused call of an account.
    static func failure(
        _ error: XRPCError, _ request: XRPCRequest, of account: AccountProfile, in accounts: AccountStore
    ) -> Failure {
        ErrorPresenter.failure(error, account: account, request, terms: terms(of: account, in: accounts))
    }

    /// The terms of the account's login; nil if its session is unreadable.
    static func terms(of account: AccountProfile, in accounts: AccountStore) -> LoginTerms? {
        (try? accounts.session(account.id)).map { LoginTerms($0) }
    }
}

/// Calls without an account and without credentials, at any server.
struct AnonymousCaller: Caller {
    let transport: any HTTPTransport
    let server: Origin

    func redactedCredentials() -> HTTPFields { [:] }

    /// The server with the public data of Bluesky. It needs no account.
    static let publicServer = Origin(scheme: .https, host: "public.api.bsky.app")

    func send(_ request: XRPCRequest) async throws -> TransportResponse {
        return try await transport.send(request.transportRequest(to: server))
    }

    func failure(_ error: XRPCError, _ request: XRPCRequest) -> Failure {
        ErrorPresenter.failure(error, anonymousAt: server, request)
    }
}

/// A caller that retries.
struct RetryingCaller: Caller {
    let caller: any Caller
    let retries: RetryFlow

    var server: Origin { caller.server }

    func redactedCredentials() throws -> HTTPFields { try caller.redactedCredentials() }

    func send(_ request: XRPCRequest) async throws -> TransportResponse {
        try await retries.send { () async throws in try await caller.send(request) }
    }

    func failure(_ error: XRPCError, _ request: XRPCRequest) -> Failure { caller.failure(error, request) }
}

/// A caller for pages that reads each response to its end. So a response that breaks off is a failure of the call and
/// can be retried.
struct CollectingCaller: Caller {
    let caller: any Caller
    /// The size limit of a response in bytes.
    let longest: Int

    var server: Origin { caller.server }

    func redactedCredentials() throws -> HTTPFields { try caller.redactedCredentials() }

    func send(_ request: XRPCRequest) async throws -> TransportResponse {
        let response = try await caller.send(request)
        guard (200..<300).contains(response.status) else { return response }
        let body = try await response.body.collect(upTo: longest)
        return TransportResponse(
            status: response.status, headerFields: response.headerFields,
            body: ResponseBody(CollectedBody(body)))
    }

    func failure(_ error: XRPCError, _ request: XRPCRequest) -> Failure { caller.failure(error, request) }
}
