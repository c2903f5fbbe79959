internal import ATProto
internal import BskyAuthCore
internal import HTTPTypes
internal import Networking
internal import OAuth

/// Who makes a call.
protocol Caller: Sendable {
    /// Who is asked.
    var server: Origin { get }

    /// The fields that say who calls, without what is secret in them.
    func redactedCredentials() throws -> HTTPFields

    /// Sends a call and answers with whatever the server says.
    func send(_ request: XRPCRequest) async throws -> TransportResponse

    /// A refusal in words.
    func failure(_ error: XRPCError, _ request: XRPCRequest) -> Failure
}

extension Caller {
    /// Sends a call that has to be answered: anything but a success is a failure, told from the beginning of
    /// its body.
    func call(_ request: XRPCRequest) async throws -> TransportResponse {
        let response = try await send(request)
        guard !(200..<300).contains(response.status) else { return response }
        // The status says enough when the body does not arrive.
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

    /// A refusal that an account met with, in words.
    static func failure(
        _ error: XRPCError, _ request: XRPCRequest, of account: AccountProfile, in accounts: AccountStore
    ) -> Failure {
        ErrorPresenter.failure(error, account: account, request, terms: terms(of: account, in: accounts))
    }

    /// How an account was logged in; nil where its session can't be read any more.
    static func terms(of account: AccountProfile, in accounts: AccountStore) -> LoginTerms? {
        (try? accounts.session(account.id)).map { LoginTerms($0) }
    }
}

/// Nobody: no account, no credentials, at any server.
struct AnonymousCaller: Caller {
    let transport: any HTTPTransport
    let server: Origin

    func redactedCredentials() -> HTTPFields { [:] }

    /// Where the public data of Bluesky is to be had without an account.
    static let publicServer = Origin(scheme: .https, host: "public.api.bsky.app")

    func send(_ request: XRPCRequest) async throws -> TransportResponse {
        return try await transport.send(request.transportRequest(to: server))
    }

    func failure(_ error: XRPCError, _ request: XRPCRequest) -> Failure {
        ErrorPresenter.failure(error, anonymousAt: server, request)
    }
}

/// A caller that does not give up at once.
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

/// A caller whose answers are there whole, so that one that breaks off is a failure of the call and not of what is
/// made of it: for pages.
struct CollectingCaller: Caller {
    let caller: any Caller
    /// In bytes.
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
