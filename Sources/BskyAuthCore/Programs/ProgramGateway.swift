package import ATPCryptography
internal import ATPNetworking
package import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import ATProtoXRPC
package import FoundationEssentials
internal import HTTPTypes

/// Lets programs that know only "service URL and password" act as an account, as long as a command runs.
///
/// It plays the session methods of a PDS itself, with secrets and tokens of the run, and passes every other method on.
package struct ProgramGateway: Sendable {
    /// What the gateway says to people, and how it words errors.
    package struct Reports: Sendable {
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

    /// The answer to a request of a program.
    package struct Answer: Sendable {
        package internal(set) var reply = GatewayAnswer()
        /// Whether the program loses its connection, because its secret or token is wrong.
        package internal(set) var endsConnection = false
    }

    let accounts: [ProgramAccount]
    let keys: RunKeys
    let now: @Sendable () -> Date
    let gateway: Gateway
    private let isOpen: @Sendable () -> Bool
    private let reports: Reports

    /// - Parameters:
    ///   - accounts: the accounts, each with a secret of its own.
    ///   - gateway: passes requests on, within its limits.
    ///   - isOpen: whether the vault is still open to this process.
    package init(
        _ accounts: [ProgramAccount], through gateway: Gateway, now: @escaping @Sendable () -> Date,
        isOpen: @escaping @Sendable () -> Bool, reports: Reports
    ) throws(CryptographyError) {
        self.accounts = accounts
        self.gateway = gateway
        self.now = now
        self.isOpen = isOpen
        self.reports = reports
        keys = try RunKeys()
    }

    /// Answers a request. Every failure is an answer, too.
    ///
    /// - Parameters:
    ///   - address: where the request came to.
    ///   - secretShown: is called when the request has shown a secret or token of this run.
    package func answer(
        _ request: GatewayRequest, at address: RunAddress = RunAddress(port: nil),
        secretShown: @escaping @Sendable () -> Void
    ) async -> Answer {
        var answer = Answer()
        if Self.asksForHealth(request) {
            answer.reply = request.answer(Self.health)
            return answer
        }
        answer.reply = await request.answer { call in
            try await response(to: call, ProgramRequest(request, address, secretShown))
        } refusing: { error in
            let refusal = refusal(for: error)
            answer.endsConnection = refusal.status == 401 || refusal == .otherRun
            return refusal
        }
        return answer
    }

    private func response(to call: XRPCRequest, _ request: ProgramRequest) async throws -> TransportResponse {
        guard isOpen() else { throw closed() }
        if let method = SessionMethod(call.nsid) { return try await play(method, call, request) }
        if let answer = try answerBeforeLogin(to: call, request) { return answer }
        let account = try user(of: request, .access).account
        if let profile = try await ownProfile(call, account) { return profile }
        do {
            let call = try await naming(call, as: account.agent, request.address)
            return try await gateway.pass(call, as: account.agent)
        } catch let error as any KnownError where !error.isPassing {
            // The process that refreshes may have found out that the session has ended.
            try await account.checkSession(waiting: gateway.longestWait)
            throw error
        }
    }

    // MARK: Who asks

    /// A request, where it came to, and what to do when it has shown a secret or token of this run.
    struct ProgramRequest: Sendable {
        let authorization: [String]
        let address: RunAddress
        let secretShown: @Sendable () -> Void

        init(_ request: GatewayRequest, _ address: RunAddress, _ secretShown: @escaping @Sendable () -> Void)
        {
            authorization = request.headerFields[values: .authorization]
            self.address = address
            self.secretShown = secretShown
        }
    }

    /// Who sent a request.
    struct User {
        let account: ProgramAccount
        /// The session of the program; nil if it showed the secret itself.
        let session: String?
    }

    /// The account that a request may act as, by a token of this run, or by the secret itself. Says that a secret was shown.
    func user(of request: ProgramRequest, _ kind: RunKeys.Kind) throws(Refusal) -> User {
        guard request.authorization.count == 1, let value = request.authorization.first,
            value.prefix(7).lowercased() == "bearer "
        else { throw .unauthenticated }
        let text = String(value.dropFirst(7))
        if let account = account(ofSecret: text) {
            request.secretShown()
            return User(account: account, session: nil)
        }
        guard let token = keys.read(text, now: now()), token.kind == kind else {
            throw keys.isOfAnotherRun(text) ? .otherRun : .unauthenticated
        }
        guard !token.isExpired else { throw .expired }
        guard let account = accounts.first(where: { $0.account.did.description == token.did }) else {
            throw .unauthenticated
        }
        request.secretShown()
        return User(account: account, session: token.id)
    }

    func account(ofSecret text: String) -> ProgramAccount? {
        // Each is compared, so that the time does not tell which one is near.
        accounts.filter { $0.hasSecret(text) }.first
    }

    // MARK: Failures

    private func refusal(for error: any Error) -> Refusal {
        switch error {
        case let refusal as Refusal: return refusal
        case SessionFailure.sessionEnded, CoreError.loggedOut: return ended(error)
        case SessionFailure.tokenRefused:
            reports.report(error)
            return Refusal(502, "UpstreamFailure", reports.words(error))
        case SessionFailure.cancelled, is CancellationError: return .ending
        case VaultError.keyChanged: return closed()
        case let error as any KnownError: return refusal(for: error)
        default:
            reports.report(error)
            return .failed
        }
    }

    private func refusal(for error: any KnownError) -> Refusal {
        let words = reports.words(error)
        switch error.retry {
        case .at(let time):
            let seconds = Int(max(1, time.timeIntervalSince(now()).rounded(.up)))
            return Refusal(503, "ServiceUnavailable", words, retryAfter: seconds)
        case .whenFree, .soon: return Refusal(503, "ServiceUnavailable", words, retryAfter: 1)
        case nil: break
        }
        if error.isPassing { return Refusal(502, "UpstreamFailure", words) }
        // It may name files of the user, so it is for the user alone.
        reports.report(error)
        return .failed
    }

    private func closed() -> Refusal {
        reports.reportClosed()
        return .closed
    }

    /// SDKs that hear `ExpiredToken` refresh, and would do so for ever.
    private func ended(_ error: any Error) -> Refusal {
        reports.report(error)
        return Refusal(401, "AuthenticationRequired", reports.words(error))
    }
}

extension Refusal {
    static let unauthenticated = Refusal(
        401, "AuthenticationRequired", "the request has no token of this run of bskyauth")
    static let expired = Refusal(400, "ExpiredToken", "the token of this run has expired; refresh it")
    /// SDKs that hear this of their refresh token log in again.
    static let otherRun = Refusal(
        400, "ExpiredToken", "the token is not of this run of bskyauth, but of an earlier one; log in again")
    fileprivate static let closed = Refusal(
        503, "ServiceUnavailable", "the vault was locked or got other keys; bskyauth must be started again")
    fileprivate static let failed = Refusal(
        500, "InternalServerError", "bskyauth failed to use the account; its messages say why")
}
