internal import ATPJSON
package import ATPNetworking
internal import ATProtoIdentity
public import ATProtoSessions
package import ATProtoXRPC
internal import FoundationEssentials
internal import HTTPTypes

/// Passes the requests of programs and web pages to the server of an account, within limits.
///
/// It answers one request at a time and has no server in it: a request goes in, an answer comes out. Your server decides
/// which account a request may act as. The tokens of the session get into no answer. A program that may call
/// `com.atproto.server.getServiceAuth` gets a token for another service, which its rule should name.
///
/// An account's server may send HTML or scripts. If your server has cookies on the same origin, set the header fields that
/// keep a browser from running them.
public struct Gateway: Sendable {
    private let limits: AccessLimits
    package let longestWait: Duration

    /// - Parameters:
    ///   - limits: what may pass.
    ///   - longestWait: how long a request waits for another task or process that refreshes the account.
    public init(limits: AccessLimits = .none, longestWait: Duration = .seconds(30)) {
        self.limits = limits
        self.longestWait = longestWait
    }

    /// Answers a request with what the account's server answers. Every failure is an answer, too.
    ///
    /// The methods by which a program logs in and out at a PDS are not passed. `getSession` is answered with the account.
    public func answer(_ request: GatewayRequest, as agent: Agent) async -> GatewayAnswer {
        var failure: ATProtoFailure?
        var answer = await request.answer { call in
            if let refusal = Self.refusal(of: call) { throw refusal }
            if SessionMethod(call.nsid) == nil { return Self.uncached(try await pass(call, as: agent)) }
            guard agent.account != nil else { throw Refusal.noAccount }
            let facts = SessionMethod.facts(of: try await agent.usableAccount(waiting: longestWait))
            return .json(.object(facts), [.cacheControl: "private, no-store"])
        } refusing: { error in
            if let refusal = error as? Refusal { return refusal }
            let cause = ATProtoFailure(error)
            failure = cause
            return Refusal(cause, at: Date())
        }
        answer.failure = failure
        return answer
    }

    /// The answer to a request that is refused for its head. Nil if it may pass.
    ///
    /// ``answer(_:as:)`` refuses such a request too. Ask for the refusal before you receive a long body.
    public func refusal(of request: GatewayRequest) -> GatewayAnswer? {
        var answer = GatewayAnswer()
        do {
            let call = try request.call()
            guard let refusal = Self.refusal(of: call) else { return nil }
            answer.nsid = call.nsid.description
            answer.response = refusal.response
        } catch {
            answer.response = error.response
        }
        return request.method == .head ? answer.withoutBody : answer
    }

    /// Passes a call to the account's server.
    ///
    /// - Throws: ``Refusal`` for what the gateway does not let through, and the errors of a call.
    package func pass(_ call: XRPCRequest, as agent: Agent) async throws -> TransportResponse {
        if let reason = Self.neverPassed(call) { throw reason }
        var call = agent.completing(call)
        switch limits.verdict(on: call) {
        case .pass: break
        case .refuse(let reason): throw Refusal.forbidden(reason)
        case .readBody:
            let body = try await Self.whole(call.body, upTo: Self.mediumBody)
            if let reason = limits.refusal(
                ofBody: body, in: call, owner: try await agent.storedAccount().identifiers)
            {
                throw Refusal.forbidden(reason)
            }
            // What was checked is what is sent.
            call.body = .bytes(body)
        }
        let isLong = call.body.length.map { $0 > Self.mediumBody } ?? true
        return GatewayAnswer.passing(
            try await agent.send(
                call, lockTimeout: longestWait, awaitsRefresh: false,
                minimumLife: isLong ? Self.lifeForLongBodies : nil))
    }

    /// Whether the limits refuse a call whatever its body is.
    package func forbids(_ call: XRPCRequest, as agent: Agent) -> Bool {
        if case .refuse = limits.verdict(on: agent.completing(call)) { true } else { false }
    }

    /// The longest body that is checked, in bytes. A longer one may take long to send.
    private static let mediumBody = 1 << 20
    /// How many seconds a token must be good for such a body.
    private static let lifeForLongBodies = 300.0

    /// An answer that no cache gives to another account.
    private static func uncached(_ response: TransportResponse) -> TransportResponse {
        var fields = response.headerFields
        fields[.cacheControl] = "private, no-store"
        return TransportResponse(status: response.status, headerFields: fields, body: response.body)
    }

    /// Reads a body into memory.
    package static func whole(_ body: RequestBody, upTo limit: Int) async throws -> [UInt8] {
        switch body {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .stream(let source):
            let bytes: [UInt8]?
            do { bytes = try await source.collect(upTo: limit) } catch {
                throw error is CancellationError ? Refusal.ending : .unreadableBody
            }
            guard let bytes else { throw Refusal.tooLarge }
            return bytes
        }
    }

    /// Why a call is refused whatever its body is. Nil if it may pass.
    private static func refusal(of call: XRPCRequest) -> Refusal? {
        switch SessionMethod(call.nsid) {
        case nil: neverPassed(call)
        case .get?: call.method == .query ? nil : .wrongMethod(.get)
        case let method?: .forbidden("\(method.rawValue) is not here: this server has the session")
        }
    }

    /// Why a method is not for a gateway.
    private static func neverPassed(_ call: XRPCRequest) -> Refusal? {
        let nsid = call.nsid
        if nsid.name.hasPrefix("subscribe"), call.method == .query,
            KnownMethods.lexicons.kind(of: nsid) == nil
        {
            return Refusal(
                501, "MethodNotImplemented",
                "\(nsid) is a stream, which needs no account: connect to wss://bsky.network/xrpc/\(nsid), or to the server that has it"
            )
        }
        guard Self.notForOAuth.contains(nsid.description) else { return nil }
        return .forbidden("a PDS refuses \(nsid) to every OAuth session; use the account page of the PDS")
    }

    /// The methods that the reference PDS keeps for passwords ("OAuth credentials are not supported for this endpoint").
    private static let notForOAuth: Set = [
        "com.atproto.server.activateAccount", "com.atproto.server.createAppPassword",
        "com.atproto.server.deactivateAccount", "com.atproto.server.getAccountInviteCodes",
        "com.atproto.server.listAppPasswords", "com.atproto.server.requestAccountDelete",
        "com.atproto.server.revokeAppPassword",
    ]
}
