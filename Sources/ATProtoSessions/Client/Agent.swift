internal import ATPJSON
public import ATPNetworking
package import ATProtoIdentity
public import ATProtoXRPC
internal import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Calls the methods of a server, as an account or without one (atproto.com/specs/xrpc).
///
/// As an account it sends the access token with a proof, refreshes the session when it needs to, and follows the account when
/// it moves to another server. Tasks that call at the same time share one refresh.
public struct Agent: Sendable {
    private enum Sender: Sendable {
        case account(CallFlow)
        case backend(any BackendCalls)
        case anonymous(any HTTPTransport, Origin)
    }

    private let sender: Sender
    private var headerFields: HTTPFields = [:]
    private var awaitsRefresh = true

    /// The longest answer that is read into memory, in bytes. ``send(_:_:parameters:body:contentType:)`` has no limit.
    private static let longestAnswer = 16 << 20

    /// - Parameter flow: makes the calls of the account.
    package init(_ flow: CallFlow) {
        sender = .account(flow)
    }

    /// - Parameter backend: makes the calls.
    package init(_ backend: any BackendCalls) {
        sender = .backend(backend)
    }

    /// Calls a server without an account.
    ///
    /// - Parameters:
    ///   - server: the address of the server, as `https://public.api.bsky.app`.
    ///   - transport: sends the requests.
    /// - Throws: ``ATProtoFailure/Code/invalidArgument``.
    public init(anonymouslyAt server: String, transport: any HTTPTransport) throws(ATProtoFailure) {
        sender = .anonymous(transport, try Origin(address: server))
    }

    /// The account; nil for an agent without one, and for an agent of a backend, which has the session.
    public var account: UUID? { if case .account(let flow) = sender { flow.id } else { nil } }

    /// The same agent, whose calls the account's server forwards to a service (`atproto-proxy`).
    ///
    /// - Parameter service: a DID with the name of the service, as `did:web:api.bsky.chat#bsky_chat`.
    /// - Throws: ``ATProtoFailure/Code/invalidArgument``.
    public func proxied(to service: String) throws(ATProtoFailure) -> Agent {
        guard let reference = try? ServiceReference(validating: service) else {
            throw ATProtoFailure(
                .invalidArgument, "\(UntrustedText.harmless(service)) is no service, as did:web:host#name")
        }
        return try with(.atprotoProxy, reference.description)
    }

    /// The same agent, whose answers have the labels of these labelers only (`atproto-accept-labelers`;
    /// atproto.com/specs/label).
    ///
    /// - Parameter labelers: a DID each, followed by `;redact` to leave out what the labeler takes down.
    /// - Throws: ``ATProtoFailure/Code/invalidArgument``.
    public func accepting(labelers: [String]) throws(ATProtoFailure) -> Agent {
        guard let accepted = try? AcceptedLabelers(validating: labelers) else {
            throw ATProtoFailure(.invalidArgument, "a labeler is a DID, which ;redact may follow")
        }
        return try with(.atprotoAcceptLabelers, accepted.description)
    }

    /// The same agent, whose calls don't wait where an earlier refresh may still be answered: up to 90 seconds after a process
    /// was killed while it refreshed. They fail with ``ATProtoFailure/Code/notRefreshed``, and ``ATProtoFailure/retryAt`` says when to
    /// try again.
    public var withoutAwaitingRefresh: Agent {
        var agent = self
        agent.awaitsRefresh = false
        return agent
    }

    private func with(_ name: HTTPField.Name?, _ value: String) throws(ATProtoFailure) -> Agent {
        guard let name else { throw ATProtoFailure(.unexpected, "a name of a header field is invalid") }
        var agent = self
        agent.headerFields[name] = value
        return agent
    }

    /// The account, as it is now.
    package func storedAccount() async throws -> Account {
        guard case .account(let flow) = sender else {
            throw ATProtoFailure(.invalidArgument, "an agent without an account has no repository")
        }
        return try await flow.account()
    }

    /// Whose repository the records are in.
    func did() async throws -> DID {
        if case .backend(let backend) = sender { return try await backend.did() }
        return try await storedAccount().did
    }

    /// The account, whose session has not ended as far as the store knows.
    ///
    /// - Parameter limit: how long to wait for another caller, if the session has ended here.
    package func usableAccount(waiting limit: Duration) async throws -> Account {
        let account = try await storedAccount()
        if case .account(let flow) = sender {
            try await flow.context.usableSession(flow.id, waiting: limit)
        }
        return account
    }

    // MARK: Calls

    /// Calls a query, and reads its answer.
    ///
    /// - Parameters:
    ///   - nsid: the name of the method, as `app.bsky.actor.getProfile`.
    ///   - parameters: the parameters of the query string.
    ///   - type: what the answer is read as. A `Date` is read from a `datetime` of lexicons.
    /// - Throws: ``ATProtoFailure/Code/xrpc`` for an answer that is no success.
    public func query<Output: Decodable>(
        _ nsid: String, _ parameters: XRPCParameters = [:], as type: Output.Type = Output.self
    ) async throws(ATProtoFailure) -> Output {
        try Self.decode(try await answer(.query, nsid, parameters, .none, "application/json"))
    }

    /// Calls a procedure with an input, and reads its answer.
    ///
    /// - Parameters:
    ///   - nsid: the name of the method.
    ///   - input: what is sent as JSON. A `Date` is sent as a `datetime` of lexicons.
    ///   - type: what the answer is read as.
    /// - Throws: ``ATProtoFailure/Code/xrpc`` for an answer that is no success. After
    ///   ``ATProtoFailure/Code/network`` with ``ATProtoFailure/requestWasSent`` the procedure may have run.
    public func procedure<Output: Decodable>(
        _ nsid: String, input: some Encodable, as type: Output.Type = Output.self
    ) async throws(ATProtoFailure) -> Output {
        try Self.decode(
            try await answer(.procedure, nsid, [:], try Self.encode(input), "application/json"))
    }

    /// Calls a procedure with an input, and expects no answer.
    public func procedure(_ nsid: String, input: some Encodable) async throws(ATProtoFailure) {
        _ = try await answer(.procedure, nsid, [:], try Self.encode(input), "application/json")
    }

    /// Calls a procedure without an input, and expects no answer.
    public func procedure(_ nsid: String) async throws(ATProtoFailure) {
        _ = try await answer(.procedure, nsid, [:], .none, "application/json")
    }

    /// Calls a method with any body, and returns the answer whatever its status. The body of the answer streams.
    ///
    /// - Parameters:
    ///   - method: whether it is a query or a procedure.
    ///   - nsid: the name of the method.
    ///   - parameters: the parameters of the query string.
    ///   - body: what is sent. A stream is read again if the request is sent again, after a refused token or nonce.
    ///   - contentType: the media type of the body.
    public func send(
        _ method: XRPCMethod, _ nsid: String, parameters: XRPCParameters = [:], body: RequestBody = .none,
        contentType: String = "application/json"
    ) async throws(ATProtoFailure) -> TransportResponse {
        guard let name = try? NSID(validating: nsid) else {
            throw ATProtoFailure(
                .invalidArgument, "\(UntrustedText.harmless(nsid)) is no name of a method")
        }
        let request = XRPCRequest(
            method, name, parameters: parameters.form, body: body, contentType: contentType)
        do { return try await self.send(request, lockTimeout: Turn.longest) } catch {
            throw ATProtoFailure(error)
        }
    }

    /// The call with the service and the labelers of this agent, unless it names its own.
    package func completing(_ call: XRPCRequest) -> XRPCRequest {
        var call = call
        for field in headerFields where call.headerFields[field.name] == nil {
            call.headerFields.append(field)
        }
        return call
    }

    /// Sends a call, whose failures the caller words (``CallFlow/send(_:lockTimeout:awaitsRefresh:minimumLife:)``).
    package func send(
        _ call: XRPCRequest, lockTimeout: Duration, awaitsRefresh: Bool = true, minimumLife: Double? = nil
    ) async throws -> TransportResponse {
        let call = completing(call)
        switch sender {
        case .account(let flow):
            return try await flow.send(
                call, lockTimeout: lockTimeout, awaitsRefresh: awaitsRefresh && self.awaitsRefresh,
                minimumLife: minimumLife)
        case .backend(let backend): return try await backend.send(call)
        case .anonymous(let transport, let server):
            return try await transport.send(call.transportRequest(to: server))
        }
    }

    /// The body of an answer that is a success.
    func answer(
        _ method: XRPCMethod, _ nsid: String, _ parameters: XRPCParameters, _ body: RequestBody,
        _ contentType: String
    ) async throws(ATProtoFailure) -> [UInt8] {
        let response = try await send(
            method, nsid, parameters: parameters, body: body, contentType: contentType)
        do {
            guard (200..<300).contains(response.status) else {
                // If the body does not arrive, the status says enough.
                let body = (try? await response.body.beginning(upTo: XRPCError.longestBody)) ?? []
                throw ATProtoFailure(
                    XRPCError(status: response.status, headerFields: response.headerFields, body: body))
            }
            return try await response.body.collect(upTo: Self.longestAnswer)
        } catch {
            throw ATProtoFailure(error)
        }
    }

    static func encode(_ input: some Encodable) throws(ATProtoFailure) -> RequestBody {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom(DateTime.encode)
        do { return .bytes(Array(try encoder.encode(input))) } catch {
            throw ATProtoFailure(.invalidArgument, "the input can't be written as JSON: \(error)")
        }
    }

    static func decode<Output: Decodable>(_ body: [UInt8]) throws(ATProtoFailure) -> Output {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom(DateTime.decode)
        do { return try decoder.decode(Output.self, from: Data(body)) } catch {
            // Half of a character in one value must not hide all others. Foundation refuses the text as a whole.
            if let (json, flaws) = try? JSONParser.read(body, leniency: .halfSurrogates), !flaws.isEmpty,
                let output = try? decoder.decode(Output.self, from: Data(json.text.utf8))
            {
                return output
            }
            throw ATProtoFailure(.unreadableAnswer, "the answer is not what was expected: \(error)")
        }
    }
}

extension Origin {
    /// Reads the address of a server, as `https://public.api.bsky.app`.
    init(address text: String) throws(ATProtoFailure) {
        guard let origin = Origin(server: text) else {
            throw ATProtoFailure(
                .invalidArgument, "\(UntrustedText.harmless(text)) is no address of a server")
        }
        self = origin
    }
}

/// A `Date` as the text that lexicons call `datetime` (atproto.com/specs/lexicon, datetime; RFC 3339).
private enum DateTime {
    /// In UTC, to the millisecond.
    @Sendable static func encode(_ date: Date, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    /// With any fraction of a second, or none.
    @Sendable static func decode(_ decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        for hasFraction in [true, false] {
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
            if let date = try? style.parse(text) { return date }
        }
        throw DecodingError.dataCorruptedError(
            in: container, debugDescription: "\(UntrustedText.harmless(text)) is no time of RFC 3339")
    }
}

/// Sends calls to a backend that keeps the sessions of accounts, and adds what the backend asks for.
package protocol BackendCalls: Sendable {
    /// Sends a call, whatever the status of the answer.
    func send(_ call: XRPCRequest) async throws -> TransportResponse
    /// The account that the backend acts as.
    func did() async throws -> DID
}
