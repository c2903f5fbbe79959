internal import ATPCryptography
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import ATProtoXRPC
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

/// Turns an error of the modules below into one sentence, one next step and one exit status. A command makes a ``Failure`` of its
/// own only for what it finds itself: a wrong command line, or a file or terminal that can't be used.
enum ErrorPresenter {
    static func failure(for error: any Error) -> Failure {
        switch error {
        case let failure as Failure: failure
        case let failure as KeeperFailure: self.failure(for: failure.words)
        case let error as CoreError: failure(error)
        case let error as SessionFailure: failure(error)
        case let error as VaultError: failure(error)
        case let error as BundleError: failure(error)
        case let error as IdentityError: failure(error)
        case let error as DiscoveryError: failure(error)
        case let error as TransportError: failure(error)
        case let error as AuthorizationResponseError: failure(error)
        case let error as CryptographyError: failure(error)
        case let error as RecordVerificationError: failure(error)
        case let error as LexiconFailure: failure(error)
        default: defect(error)
        }
    }

    /// An error of another library. Only its type is shown, because its content may hold secrets.
    static func defect(_ error: any Error) -> Failure {
        Failure(
            .failure, defectCode, "an unexpected error stopped the command (\(type(of: error)))",
            hint: "run the command again with --verbose, and report what it prints")
    }

    static let defectCode = "unexpected_error"

    static func failure(_ error: SessionFailure) -> Failure {
        switch error {
        case .oauth(let error, let login): failure(error, login)
        case .verification(.anotherSignedIn(let person, let expected)): anotherSignedIn(person, expected)
        case .verification(let failure): self.failure(failure, nil)
        case .unverified(let failure, let login): self.failure(failure, login)
        case .clientKeyMissing(let client, let keyID): clientKeyMissing(client, keyID: keyID)
        case .cancelled: Failure(.interrupted, "interrupted", "interrupted; nothing was saved")
        case .refreshFailed(let error, let retryAt): failedRefresh(self.failure(for: error), retryAt)
        case .refreshPostponed(let login, let status, let retryAt):
            postponedRefresh(AccountText.name(login.account), status, retryAt)
        case .refreshUnclear(let login, let since, let status, let until):
            unclearRefresh(login, since, status, until)
        case .sessionEnded(let login, let ending): sessionEnded(login, ending)
        case .tokenRefused(let login, _): tokenRefused(login)
        case .logoutRefused(let login, let issuer, let said): logoutRefused(login, issuer, said)
        case .oauthNotServed(let server, let error): oauthNotServed(server, error)
        case .nothingGranted(let scope, let areRevoked): nothingGranted(of: scope, areRevoked: areRevoked)
        case .accountMoved(let login, let server, _): moved(login.account, login.terms, to: server)
        }
    }

    static func failure(_ error: CoreError) -> Failure {
        switch error {
        case .rotationNotBegun(let error): failure(error)
        case .answerNotKept(let error): answerNotKept(error)
        case .sessionService(let error): failure(error)
        case .xrpc(let error, let account): passwordFailure(error, account)
        case .callRefused(let refusal): failure(refusal)
        case .serviceTokenRefused(let refusal, let request): failure(refusal, request)
        case .wrongServiceToken(let account, let problem): wrongServiceToken(account, problem)
        case .unusableService(let service, let error): unusableService(service, error)
        case .serviceRedirects(let service, let server): serviceRedirects(service, server)
        case .malformedSession(let service):
            Failure(
                .network, "malformed_response", "\(service.host) answered the login in the wrong format",
                hint: "run the command again later")
        case .listener(let reason):
            Failure(
                .failure, "listener",
                "bskyauth can't listen for the browser on this machine: \(reason.escapedForTerminal)",
                hint: "bskyauth login HANDLE --port 8400-8410")
        case .noAccounts:
            Failure(
                .loginNeeded, "no_accounts", "there is no account in the vault yet",
                hint: "bskyauth login HANDLE")
        case .noneActive(let accounts):
            Failure(
                .unknownAccount, "none_active",
                "no account is active; choose one:  \(AccountText.choices(accounts))",
                hint: switching(accounts))
        case .accountNotNamed(let accounts):
            Failure(
                .usage, "account_not_named",
                "no account was named; choose one:  \(AccountText.choices(accounts))",
                hint: switching(accounts))
        case .noPreviousAccount:
            Failure(
                .unknownAccount, "no_previous_account", "there is no previous account to switch to",
                hint: "bskyauth accounts")
        case .unknownAccount(let text, let known): unknownAccount(text, known)
        case .ambiguousAccount(let text, let candidates):
            Failure(
                .unknownAccount, "ambiguous_account",
                "\"\(text.escapedForTerminal)\" has \(candidates.count) sessions; choose one:  "
                    + AccountText.choices(candidates, refused: text),
                hint: "bskyauth accounts")
        case .notRemoved(let account, let step, let isEnded, let error):
            notRemoved(account, after: step, isEnded: isEnded, self.failure(error))
        case .unknownPin(let pin): unknownPin(pin)
        case .labelHoldsOAuth(let account):
            Failure(
                .usage, "slot_holds_oauth",
                "\(AccountText.name(account)) is logged in with OAuth; an app password would weaken it",
                hint: "use another label: --label NAME", account: AccountText.name(account))
        case .unknownClient(let name, let known): unknownClient(name, known: known)
        case .clientDocument(let url, let problem): clientDocument(url, problem)
        case .clientKeyShared(let login, let others): clientKeyShared(login, others)
        case .clientKeyNotPublished(let client, let keyID): clientKeyNotPublished(client, keyID: keyID)
        case .unreadableClient(let error): unreadableClient(error)
        case .clientExists(let client): clientExists(client)
        case .unreadableBundle(let error): failure(error)
        case .foreignKey(let login): foreignKey(login)
        case .takeover(let problem): takeover(problem)
        case .rotationUnsettled(let login, let mayHideRotation): rotationUnsettled(login, mayHideRotation)
        case .mirror(let account, let moment, let error): mirror(account, moment, error)
        case .wrongNetwork(let account, let devNetwork): wrongNetwork(account, devNetwork)
        case .loginTimedOut:
            Failure(
                .busy, "login_timed_out",
                "the login was not finished in the browser in time; nothing was saved",
                hint: "bskyauth login HANDLE")
        case .loginKept(let account, let error): loginKept(account, self.failure(for: error))
        case .loginDeclined:
            Failure(
                .declined, "declined", "the login was cancelled; nothing was saved",
                hint: "bskyauth login HANDLE")
        case .foreignAudience(let account, let origin):
            Failure(
                .usage, "foreign_audience",
                "the token of \(AccountText.name(account)) is only for \(account.pds), not for \(origin)",
                hint: "bskyauth token --dpop GET \(account.pds)/xrpc/com.atproto.server.getSession",
                account: AccountText.name(account))
        case .notBound(let account):
            Failure(
                .usage, "not_bound",
                "\(AccountText.name(account)) is logged in with an app password, so it has no DPoP key",
                hint: AccountText.loginCommand(account), account: AccountText.name(account))
        case .loggedOut(let account, let terms):
            Failure(
                .loginNeeded, "logged_out",
                "\(AccountText.name(account)) was logged out, so programs can't act as it any more",
                hint: "log in, and then start the same command again:  "
                    + (terms.map { AccountText.loginCommand(account, $0) }
                        ?? AccountText.loginCommand(account)),
                account: AccountText.name(account))
        }
    }

    // MARK: Accounts

    /// The command that chooses one of some accounts. It can be undone, so it names the first one.
    private static func switching(_ accounts: [Account]) -> String {
        "bskyauth switch \(accounts.first.map(AccountText.selector) ?? "ACCOUNT")"
    }

    /// - Parameter devNetwork: the dev network of the command; nil on the real network.
    private static func wrongNetwork(_ account: Account, _ devNetwork: Origin?) -> Failure {
        let name = AccountText.name(account)
        let own = account.devNetwork.map { "the dev network at \($0)" } ?? "the real network"
        let setting = devNetwork.map { "\($0)" } ?? "not set"
        return Failure(
            .usage, "wrong_network", "\(name) belongs to \(own), but BSKYAUTH_DEV_NETWORK is \(setting)",
            hint: account.devNetwork.map { "export BSKYAUTH_DEV_NETWORK=\($0)" }
                ?? "unset BSKYAUTH_DEV_NETWORK",
            account: name)
    }

    // MARK: Verification

    private static func failure(_ failure: VerificationFailure, _ login: AccountLogin?) -> Failure {
        let words: (String, String) =
            switch failure {
            case .subjectIsAnother(let expected, let received):
                (
                    "wrong_subject",
                    "the tokens are for another account (\(received.escapedForTerminal)), not for \(expected.escapedForTerminal)"
                )
            case .handleIsAnothers(let handle):
                (
                    "wrong_subject",
                    "\(handle.escapedForTerminal) is not the handle of the account that signed in"
                )
            case .anotherSignedIn(let person, let expected):
                ("wrong_subject", "\(words(person)) signed in, not \(words(expected))")
            case .subjectIsNoDID: ("wrong_subject", "the server's response does not name the account")
            case .issuerMismatch(let account, let expected, let found):
                (
                    "issuer_mismatch",
                    "the PDS of \(account.escapedForTerminal) names \(found.escapedForTerminal) as its authorization server, not "
                        + expected.escapedForTerminal
                )
            case .tokenResponse(let problem): ("bad_token_response", tokenProblem(problem))
            }
        return Failure(
            .verificationFailed, words.0, words.1 + "; the tokens were not used",
            hint: "check the server, then: \(login.map(AccountText.loginCommand) ?? "bskyauth login HANDLE")",
            account: login.map { AccountText.name($0.account) })
    }

    /// The browser was signed in as another person than the login is for.
    private static func anotherSignedIn(_ person: NamedDID, _ expected: NamedDID) -> Failure {
        let name = { (account: NamedDID) in account.handle.map { "@\($0)" } ?? account.did.description }
        return Failure(
            .verificationFailed, "wrong_subject",
            "the login is for \(words(expected)), but \(words(person)) signed in at the server's page; "
                + "nothing was saved",
            hint:
                "run the command again and sign in there as \(name(expected)), or log in to the other account:  bskyauth login "
                + (person.handle?.description ?? person.did.description).shellQuoted)
    }

    private static func words(_ account: NamedDID) -> String {
        account.handle.map { "@\($0) (\(account.did))" } ?? account.did.description
    }

    // MARK: XRPC

    /// The server's message with the status.
    static func words(_ error: XRPCError) -> String {
        let said = [error.name, error.message].compactMap { $0?.escapedForTerminal }.joined(separator: ": ")
        return said.isEmpty ? "HTTP \(error.status)" : "\(said) (HTTP \(error.status))"
    }

    static func failure(_ error: CryptographyError) -> Failure {
        switch error {
        case .operationFailed(let name):
            unusableOpenSSL(
                "\(name) failed in OpenSSL: its configuration may exclude the algorithm, or memory is short",
                hint: "openssl list -providers")
        case .unreadableConfiguration:
            unusableOpenSSL(
                "the configuration of OpenSSL can't be read: openssl.cnf, or the file that OPENSSL_CONF names",
                hint: "openssl version -d")
        default: Failure(.failure, "cryptography", "a cryptographic operation failed (\(error))")
        }
    }

    private static func unusableOpenSSL(_ message: String, hint: String) -> Failure {
        Failure(.failure, "openssl_unusable", message, hint: hint)
    }

    /// The failure for statuses that mean the same everywhere. `otherwise` handles the rest.
    static func refusal(
        _ error: XRPCError, _ what: String, by server: String, _ account: String?,
        otherwise: () -> Failure
    ) -> Failure {
        switch error.status {
        case 429:
            rateLimited(error, what, by: server, account)
        case 500...:
            Failure(
                .serverError, "server_error", "\(server) failed: \(what)",
                hint: "run the command again later", account: account, http: error.status,
                serverError: error.name)
        default: otherwise()
        }
    }

    private static func rateLimited(
        _ error: XRPCError, _ what: String, by server: String, _ account: String?
    ) -> Failure {
        rateLimited(
            by: server, what, account, serverError: error.name, until: error.rateLimit.flatMap(retryTime))
    }

    /// - Parameter time: when the limit ends; nil if the server does not say it.
    static func rateLimited(
        by server: String, _ what: String, _ account: String?, serverError: String?, until time: String?
    ) -> Failure {
        Failure(
            .rateLimited, "rate_limited",
            "the rate limit of \(server) was reached: \(what)\(time.map { "; it ends at \($0)" } ?? "")",
            hint: "wait\(time.map { " until \($0)" } ?? ""), then run the command again", account: account,
            http: 429, serverError: serverError, retryAt: time)
    }

    /// When a rate limit ends: by `Retry-After`, or else at the end of the window.
    private static func retryTime(_ limit: RateLimit) -> String? {
        if let seconds = limit.retryAfter {
            return TimeText.rfc3339(Date(timeIntervalSinceNow: Double(seconds)))
        }
        return limit.reset.map { TimeText.rfc3339(Date(timeIntervalSince1970: Double($0))) }
    }
}
