internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoXRPC
internal import HTTPTypes
internal import OAuthDPoP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The requests that `bskyauth-server` takes, and the answers that it gives.
struct Backend: Sendable {
    let server: Origin
    let transport: any HTTPTransport

    /// A request that changes the session of its sender.
    struct Change: Sendable {
        let path: String
        let body: JSONValue

        static let refresh = Change(path: "/api/auth/refresh", body: [:])
        static let logOutEverywhere = Change(path: "/api/auth/logout-everywhere", body: [:])

        static let logOutAll = Change(path: "/api/auth/logout", body: ["all": true])

        /// - Parameter account: nil for the active one.
        static func logOut(_ account: UUID?) -> Change {
            Change(
                path: "/api/auth/logout", body: account.map { ["account": .string($0.uuidString)] } ?? [:])
        }

        static func activation(of account: UUID) -> Change {
            Change(path: "/api/accounts/switch", body: ["account": .string(account.uuidString)])
        }
    }

    /// What a session is after a request that gave or changed it.
    struct Grant: Sendable {
        /// False if the session has ended.
        let isAuthenticated: Bool
        /// The sealed session; nil if the answer gives none.
        let token: String?
        /// The active account.
        let account: UUID?
        let did: DID?
        let handle: ATProtoIdentity.Handle?
        let expiry: Date?
    }

    // MARK: Requests

    func start(_ identifier: String, _ redirectURI: String, _ verifier: CodeVerifier) -> TransportRequest {
        posting(
            "/api/auth/start",
            [
                "handle": .string(identifier), "redirect": .string(redirectURI),
                "code_challenge": .string(verifier.challenge), "code_challenge_method": "S256",
            ])
    }

    /// Asks whether a session is good.
    var check: TransportRequest { reading("/api/auth/session") }

    /// Asks for the accounts of a session.
    var listing: TransportRequest { reading("/api/accounts") }

    private func reading(_ path: String) -> TransportRequest {
        TransportRequest(method: .get, url: HTTPURL(origin: server, path: path), timeouts: Self.timeouts)
    }

    private func posting(_ path: String, _ body: JSONValue) -> TransportRequest {
        TransportRequest(
            method: .post, url: HTTPURL(origin: server, path: path),
            headerFields: [.contentType: "application/json"], body: .bytes(Array(body.text.utf8)),
            timeouts: Self.timeouts, needsFreshConnection: true)
    }

    /// The server asks other servers before it answers.
    private static let timeouts = Timeouts(total: .seconds(100))
    /// The longest answer to a request of the client's own, in bytes.
    private static let longestAnswer = 1 << 20

    // MARK: Steps

    /// Sends a request with a session; without one if it is nil.
    func send(_ request: TransportRequest, _ token: String?) async throws(ATProtoFailure) -> TransportResponse
    {
        var request = request
        request.headerFields[.authorization] = token.map { "Bearer \($0)" }
        do { return try await transport.send(request) } catch { throw ATProtoFailure(error) }
    }

    /// Exchanges a code for a session. The code names the session that the account is added to.
    func tokens(_ code: String, _ verifier: CodeVerifier) async throws(ATProtoFailure) -> Grant {
        let request = posting(
            "/api/auth/tokens", ["code": .string(code), "code_verifier": .string(verifier.value)])
        return try Self.grant(try await Self.json(try await send(request, nil)))
    }

    func change(_ change: Change, _ token: String) async throws(ATProtoFailure) -> Grant {
        try Self.grant(try await Self.json(try await send(posting(change.path, change.body), token)))
    }

    // MARK: Answers

    /// The page of a login that has begun.
    static func page(_ response: TransportResponse) async throws(ATProtoFailure) -> HTTPURL {
        guard let text = try await json(response)["authUrl"]?.string,
            let page = try? HTTPURL(validating: text)
        else { throw unreadable }
        return page
    }

    static func accounts(_ response: TransportResponse) async throws(ATProtoFailure) -> [BackendAccount] {
        guard let items = try await json(response)["accounts"]?.array else { throw unreadable }
        let accounts = items.compactMap { item -> BackendAccount? in
            guard let id = item["account"]?.string.flatMap(UUID.init(uuidString:)),
                let did = item["did"]?.string.flatMap(DID.init), let isActive = item["active"]?.bool
            else { return nil }
            return BackendAccount(
                id: id, did: did, handle: item["handle"]?.string.flatMap(ATProtoIdentity.Handle.init),
                isActive: isActive)
        }
        guard accounts.count == items.count else { throw unreadable }
        return accounts
    }

    /// Why a session was refused.
    enum Refusal: Sendable {
        /// The sealed session has ended, or has changed.
        case session
        /// The account's session at its own server has ended.
        case account
    }

    /// The answer, to be read from its beginning, and what it says about the session. An answer to a call may come from the
    /// server of the account, so it proves nothing.
    static func read(
        _ response: TransportResponse
    ) async throws(ATProtoFailure) -> (response: TransportResponse, refusal: Refusal?) {
        guard response.status == 401 else { return (response, nil) }
        let body: [UInt8]
        do { body = try await response.body.beginning(upTo: XRPCError.longestBody) } catch {
            throw ATProtoFailure(error)
        }
        let error = XRPCError(status: 401, headerFields: response.headerFields, body: body)
        let refusal: Refusal? =
            switch error.name {
            case "session_ended": .session
            case "AuthenticationRequired": .account
            default: nil
            }
        return (response.with(body: body), refusal)
    }

    /// The body of a success.
    private static func json(_ response: TransportResponse) async throws(ATProtoFailure) -> JSONValue {
        do {
            guard response.status == 200 else {
                // If the body does not arrive, the status says enough.
                let body = (try? await response.body.beginning(upTo: XRPCError.longestBody)) ?? []
                throw ATProtoFailure(
                    backend: XRPCError(
                        status: response.status, headerFields: response.headerFields, body: body))
            }
            let body = try await response.body.collect(upTo: longestAnswer)
            guard let json = try? JSONParser.parse(body), json.object != nil else { throw unreadable }
            return json
        } catch {
            throw ATProtoFailure(error)
        }
    }

    private static func grant(_ json: JSONValue) throws(ATProtoFailure) -> Grant {
        guard let isAuthenticated = json["authenticated"]?.bool else { throw unreadable }
        let did = try optional(json["did"]) { DID($0) }
        return Grant(
            isAuthenticated: isAuthenticated,
            token: try optional(json["session"]) { BackendSession.isToken($0) ? $0 : nil },
            account: try optional(json["account"]) { UUID(uuidString: $0) }, did: did,
            // It is only shown.
            handle: json["handle"]?.string.flatMap(ATProtoIdentity.Handle.init),
            expiry: try optional(json["expiresAt"]) { try? Date.ISO8601FormatStyle().parse($0) })
    }

    private static func optional<Value>(
        _ json: JSONValue?, _ read: (String) -> Value?
    ) throws(ATProtoFailure) -> Value? {
        guard let json, !json.isNull else { return nil }
        guard let value = json.string.flatMap(read) else { throw unreadable }
        return value
    }

    static let unreadable = ATProtoFailure(
        .unreadableAnswer, "the answer is none of bskyauth-server. Check the address of the backend")
}

extension ATProtoFailure {
    /// The error answer of a backend to a request of the client's own.
    fileprivate init(backend refusal: XRPCError) {
        let code: Code =
            switch refusal.name {
            case "session_ended" where refusal.status == 401: .sessionEnded
            case "no_such_account": .unknownAccount
            case "unknown_handle": .noSuchAccount
            case "invalid_handle", "handle_required": .invalidArgument
            case "server_unreachable" where refusal.status == 503, "account_refused": .notRefreshed
            default: .refused
            }
        self.init(code, "the backend", refusal)
        if refusal.name == "changed_meanwhile" { mayPass = true }
    }
}
