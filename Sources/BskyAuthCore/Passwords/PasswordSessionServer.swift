internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoXRPC
internal import FoundationEssentials
internal import HTTPTypes
internal import OAuthDPoP

/// The session of an app password at the service that keeps it: `com.atproto.server.createSession`, `refreshSession`
/// and `deleteSession` (protocol:App-passwords).
struct PasswordSessionServer: SessionServer {
    let network: NetworkEnvironment
    let service: Origin
    /// The account; nil before its first login.
    let account: Account?

    private static let mostBytes = 65536

    /// The service's answer about a new or refreshed session.
    struct Answer: Sendable {
        let did: String
        let accessToken: AccessToken
        let refreshToken: RefreshToken
    }

    /// Logs in.
    ///
    /// - Parameter factor: the code from the e-mail; nil in the first attempt (protocol:A2).
    func create(identifier: DID, password: String, factor: String?) async throws(CoreError) -> Answer {
        var body: JSONObject = ["identifier": .string(identifier.description), "password": .string(password)]
        if let factor { body["authFactorToken"] = .string(factor) }
        return try await send("createSession", bearer: nil, body: body)
    }

    func rotate(
        _ session: Session, _ token: RefreshToken, sentBy: ContinuousClock.Instant?
    ) async -> Result<RotationAnswer, RotationFailure> {
        let askedAt = network.wallClock.now
        do {
            let answer = try await send(
                "refreshSession", bearer: token.reveal(), body: nil, timeouts: .rotation(sentBy: sentBy),
                sentBy: sentBy)
            let problem: VerificationFailure? =
                answer.did == account?.did.description
                ? nil
                : .subjectIsAnother(expected: account?.did.description ?? "", received: answer.did)
            return .success(
                RotationAnswer(session: session.renewed(by: answer, askedAt: askedAt), problem: problem))
        } catch let error {
            let words: String? = if case .xrpc(let refusal, _) = error { refusal.message } else { nil }
            return .failure(
                RotationFailure(verdict: Self.verdict(error), error: error, serverWords: words))
        }
    }

    /// Ends the session. The reference server wants the refresh token for this; other servers want the access token
    /// (protocol:13.9).
    func end(_ session: Session) async throws {
        guard let token = session.refreshToken else { return try await delete(session.accessToken.reveal()) }
        do {
            try await delete(token.reveal())
        } catch CoreError.xrpc(let refusal, _) where refusal.status < 500 {
            try await delete(session.accessToken.reveal())
        }
    }

    private func delete(_ token: String) async throws {
        _ = try await fetch("deleteSession", bearer: token, body: nil)
    }

    /// Servers accept a used refresh token for two hours (protocol:A5), so only a clear error of the service ends a
    /// session (protocol:A6). A 401 without an error name may come from a proxy.
    private static func verdict(_ error: CoreError) -> OAuthError.RefreshVerdict {
        switch error {
        case .xrpc(let refusal, _):
            let isOver = ["ExpiredToken", "InvalidToken", "InvalidDID", "AccountTakedown"]
            let answer = OAuthError.InconclusiveAnswer(
                status: refusal.status, retryAfter: refusal.rateLimit?.retryAfter)
            if refusal.status == 408 || refusal.status >= 500 { return .failed(answer) }
            // The user can activate the account again, perhaps at another server.
            if refusal.saysAccountIsNotActive { return .refused }
            if refusal.status == 429 { return .notNow(answer) }
            if let name = refusal.name, refusal.status == 401 || isOver.contains(name) {
                return .invalidGrant
            }
            return refusal.name == nil ? .notNow(answer) : .refused
        case .sessionService(let error): return error.requestWasSent ? .unanswered : .nothingSent
        case .malformedSession: return .failed(OAuthError.InconclusiveAnswer(status: 200))
        default: return .unanswered
        }
    }

    private func send(
        _ method: String, bearer: String?, body: JSONObject?, timeouts: Timeouts = .authorizationServer,
        sentBy: ContinuousClock.Instant? = nil
    ) async throws(CoreError) -> Answer {
        let response = try await fetch(method, bearer: bearer, body: body, timeouts: timeouts, sentBy: sentBy)
        guard let json = try? JSONParser.parse(response.body), let did = json["did"]?.string,
            let access = json["accessJwt"]?.string, let refresh = json["refreshJwt"]?.string
        else { throw CoreError.malformedSession(service) }
        return Answer(did: did, accessToken: AccessToken(access), refreshToken: RefreshToken(refresh))
    }

    private func fetch(
        _ method: String, bearer: String?, body: JSONObject?, timeouts: Timeouts = .authorizationServer,
        sentBy: ContinuousClock.Instant? = nil
    ) async throws(CoreError) -> FetchedResponse {
        var request = TransportRequest(
            method: .post, url: HTTPURL(origin: service, path: "/xrpc/com.atproto.server.\(method)"),
            timeouts: timeouts, needsFreshConnection: true)
        request.sentBy = sentBy
        if let bearer { request.headerFields[.authorization] = "Bearer \(bearer)" }
        if let body {
            request.headerFields[.contentType] = "application/json"
            request.body = .bytes(Array(JSONValue.object(body).text.utf8))
        }
        let response: FetchedResponse
        do {
            response = try await network.transport.fetch(request, limit: Self.mostBytes)
        } catch let error {
            throw CoreError.sessionService(error)
        }
        guard response.status == 200 else {
            throw CoreError.xrpc(
                XRPCError(
                    status: response.status, headerFields: response.headerFields, body: response.body),
                account)
        }
        return response
    }
}

extension Session {
    /// The session after a login with a password.
    init(_ answer: PasswordSessionServer.Answer, service: Origin, askedAt: Date) {
        self.init(
            credential: .password(service: service), createdAt: askedAt, accessToken: answer.accessToken,
            refreshToken: answer.refreshToken,
            accessExpiresAt: Session.expiry(of: answer.accessToken, askedAt: askedAt), obtainedAt: askedAt,
            scope: Scope(""))
    }

    /// The session after a refresh.
    fileprivate func renewed(by answer: PasswordSessionServer.Answer, askedAt: Date) -> Session {
        Session(
            credential: credential, createdAt: createdAt, accessToken: answer.accessToken,
            refreshToken: answer.refreshToken,
            accessExpiresAt: Session.expiry(of: answer.accessToken, askedAt: askedAt), obtainedAt: askedAt,
            scope: scope)
    }

    /// The expiry in a Bearer token; two hours without one (protocol:Lifetimes). It is only a hint when to refresh,
    /// because the server decides.
    private static func expiry(of token: AccessToken, askedAt: Date) -> Date {
        guard let seconds = token.claims?["exp"]?.integer, seconds > 0, let date = Date(recorded: seconds)
        else { return askedAt.addingTimeInterval(2 * 3600) }
        return date
    }
}
