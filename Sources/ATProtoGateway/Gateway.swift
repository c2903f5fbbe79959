package import ATPCryptography
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import ATProtoXRPC
internal import BskyAuthCore
package import FoundationEssentials
internal import HTTPTypes

/// Lets programs that know only "service URL and password" act as an account, within limits.
///
/// It answers one request at a time and has no server in it: a request goes in, an answer comes out. It plays the
/// session methods of a PDS itself and passes every other method to the account's PDS, with the session's token and a
/// proof. No token of the account gets to a program.
package struct Gateway: Sendable {
    /// What the gateway says to people, and how it words errors.
    package struct Voice: Sendable {
        let words: @Sendable (any Error) -> String
        let report: @Sendable (any Error) -> Void
        let reportClosed: @Sendable () -> Void

        /// - Parameters:
        ///   - words: an error in one line.
        ///   - report: tells the user of an error that a program can't mend, such as the end of the session.
        ///   - reportClosed: tells the user that the vault is closed to this process.
        package init(
            words: @escaping @Sendable (any Error) -> String,
            report: @escaping @Sendable (any Error) -> Void,
            reportClosed: @escaping @Sendable () -> Void
        ) {
            self.words = words
            self.report = report
            self.reportClosed = reportClosed
        }
    }

    let accounts: [GatewayAccount]
    let keys: RunKeys
    let now: @Sendable () -> Date
    private let limits: AccessLimits
    private let known: KnownMethods
    private let lockTimeout: Duration
    private let isOpen: @Sendable () -> Bool
    private let voice: Voice

    /// - Parameters:
    ///   - accounts: the accounts, each with a secret of its own.
    ///   - known: the methods of the lexicons.
    ///   - lockTimeout: how long a request waits for another process that uses the account.
    ///   - isOpen: whether the vault is still open to this process.
    package init(
        _ accounts: [GatewayAccount], limits: AccessLimits, known: KnownMethods, lockTimeout: Duration,
        now: @escaping @Sendable () -> Date, isOpen: @escaping @Sendable () -> Bool, voice: Voice
    ) throws(CryptographyError) {
        self.accounts = accounts
        self.limits = limits
        self.known = known
        self.lockTimeout = lockTimeout
        self.now = now
        self.isOpen = isOpen
        self.voice = voice
        keys = try RunKeys()
    }

    /// Answers a request. Every failure is an answer, too.
    package func answer(_ request: GatewayRequest) async -> GatewayAnswer {
        var answer = GatewayAnswer(response: Refusal.notFound.response)
        do {
            let call = try request.call(known)
            answer.nsid = call.nsid.description
            answer.response = try await response(to: call, request)
        } catch {
            let refusal = refusal(for: error)
            answer.response = refusal.response
            answer.endsConnection = refusal.status == 401
        }
        if request.method == .head { answer.response = answer.response.withoutBody }
        return answer
    }

    private func response(
        to call: XRPCRequest, _ request: GatewayRequest
    ) async throws -> TransportResponse {
        guard isOpen() else { throw closed() }
        if let session = SessionMethod(call.nsid) { return try await play(session, call, request) }
        return try await pass(call, as: try user(of: request, .access).account)
    }

    // MARK: Passing on

    private func pass(_ call: XRPCRequest, as account: GatewayAccount) async throws -> TransportResponse {
        if let reason = neverPassed(call) { throw reason }
        var call = call
        switch limits.verdict(on: call, known) {
        case .pass: break
        case .refuse(let reason): throw Refusal.forbidden(reason)
        case .readBody:
            let body = try await Self.whole(call.body, upTo: Self.longestCheckedBody)
            if let reason = limits.refusal(ofBody: body, in: call, owner: account.names) {
                throw Refusal.forbidden(reason)
            }
            // What was checked is what is sent.
            call.body = .bytes(body)
        }
        return GatewayAnswer.passing(try await account.send(call, lockTimeout: lockTimeout))
    }

    private static let longestCheckedBody = 1 << 20

    /// Reads a body into memory.
    static func whole(_ body: RequestBody, upTo limit: Int) async throws -> [UInt8] {
        switch body {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .stream(let source):
            guard let bytes = try await source.collect(upTo: limit) else { throw Refusal.tooLarge }
            return bytes
        }
    }

    /// Why a method is not for the gateway.
    private func neverPassed(_ call: XRPCRequest) -> Refusal? {
        let nsid = call.nsid
        if nsid.name.hasPrefix("subscribe"), call.method == .query, known.kind(of: nsid) == nil {
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

    // MARK: Who asks

    /// Who sent a request.
    struct User {
        let account: GatewayAccount
        /// The session of the program; nil if it showed the secret itself.
        let session: String?
    }

    /// The account that a request may act as, by a token of this run, or by the secret itself. Vouches for its connection.
    func user(of request: GatewayRequest, _ kind: RunKeys.Kind) throws(Refusal) -> User {
        let values = request.headerFields[values: .authorization]
        guard values.count == 1, let value = values.first,
            value.prefix(7).lowercased() == "bearer "
        else { throw .unauthenticated }
        let text = String(value.dropFirst(7))
        if let account = account(ofSecret: text) {
            request.vouch()
            return User(account: account, session: nil)
        }
        guard let token = keys.read(text, now: now()), token.kind == kind else { throw .unauthenticated }
        guard !token.isExpired else { throw .expired }
        guard let account = accounts.first(where: { $0.profile.did.description == token.did }) else {
            throw .unauthenticated
        }
        request.vouch()
        return User(account: account, session: token.id)
    }

    func account(ofSecret text: String) -> GatewayAccount? {
        // Each is compared, so that the time does not tell which one is near.
        accounts.filter { $0.hasSecret(text) }.first
    }

    // MARK: Failures

    private func refusal(for error: any Error) -> Refusal {
        switch error {
        case let refusal as Refusal: return refusal
        case SessionFailure.sessionEnded, CoreError.loggedOut: return ended(error)
        case SessionFailure.cancelled, is CancellationError: return .ending
        case VaultError.keyChanged: return closed()
        case let error as any KnownError: return refusal(for: error)
        // Only reading a body fails with another error.
        default: return .invalid("the body could not be read to its end")
        }
    }

    private func refusal(for error: any KnownError) -> Refusal {
        let words = voice.words(error)
        switch error.retry {
        case .at(let time):
            let seconds = Int(max(1, time.timeIntervalSince(now()).rounded(.up)))
            return Refusal(503, "ServiceUnavailable", words, retryAfter: seconds)
        case .whenFree, .soon: return Refusal(503, "ServiceUnavailable", words, retryAfter: 1)
        case nil: break
        }
        if error.isPassing { return Refusal(502, "UpstreamFailure", words) }
        // It may name files of the user, so it is for the user alone.
        voice.report(error)
        return .failed
    }

    private func closed() -> Refusal {
        voice.reportClosed()
        return .closed
    }

    /// SDKs that hear `ExpiredToken` refresh, and would do so for ever.
    private func ended(_ error: any Error) -> Refusal {
        voice.report(error)
        return Refusal(401, "AuthenticationRequired", voice.words(error))
    }
}

extension TransportResponse {
    /// The head alone, for HEAD.
    fileprivate var withoutBody: TransportResponse {
        body.cancel()
        return TransportResponse(
            status: status, headerFields: headerFields, body: ResponseBody([]))
    }
}
