internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import BskyAuthRows
internal import BskyAuthServerSupport
internal import FoundationEssentials
internal import HTTPTypes

/// Begins logins at the servers of accounts, and completes them when the browser comes back.
///
/// Each login has a row under the hash of its `state`. It is bound to the browser by a cookie, or to the app by the challenge of
/// its code, or to both. The row is removed before anything is sent for it, so a redirect works once.
struct Logins: Sendable {
    let rows: any RowStore
    let ring: SealingRing
    let client: any LoginClient
    let book: SessionBook
    let accounts: any OwnedAccounts
    let now: @Sendable () -> Date
    /// Logins that could not begin, by whose they are, so that a repeated one sends no request.
    private let failures = RecentFailures<String, Problem>()

    /// How long a person may take.
    static let lifetime: TimeInterval = 600
    /// How long an app may take to exchange a code.
    static let codeLifetime: TimeInterval = 60
    /// How long finding the account and its server may take.
    static let startLimit = Duration.seconds(15)

    /// Where a login ends.
    enum Landing: Sendable, Codable, Equatable {
        /// A page of this server, with a cookie.
        case page(path: String)
        /// An app, with a code that only the holder of the challenge's verifier can exchange.
        case app(name: String, redirect: String, challenge: String, adding: UUID?)
        /// A page of a protected site. The login asks for no permission but to know who the person is.
        case site(url: String)
    }

    private struct Pending: Codable {
        /// The sealed archive of the login.
        let archive: [UInt8]
        /// The hash of the browser's cookie; nil if the app alone holds the login.
        let browser: String?
        let landing: Landing
    }

    /// Where a login has ended. It names no address, and nothing that opens a session.
    enum Finished: String, Codable {
        case page, app, site
    }

    private struct FinishedLogin: Codable {
        let end: Finished
        /// The hash of the cookie of the browser that opened the end; nil if it had none.
        let browser: String?
    }

    private struct Code: Codable {
        let account: AppSession.Entry
        let app: String
        let challenge: String
        let adding: UUID?
    }

    /// The page for the person's browser.
    ///
    /// - Parameters:
    ///   - identifier: whose login it is.
    ///   - landing: where it ends.
    ///   - browser: the cookie of the browser that it is bound to.
    func begin(_ identifier: String, landing: Landing, browser: String?) async throws -> String {
        if browser == nil {
            guard case .app = landing else { throw Problem.broken }
        }
        let isSite = if case .site = landing { true } else { false }
        if let problem = failures.find(identifier, at: now()) { throw problem }
        let pending: PendingLogin
        do {
            pending = try await withLimit(Self.startLimit) { [client] in
                // A label of its own makes each login a session of its own.
                try await client.begin(identifier, label: UUID().uuidString, asksOnlyWho: isSite)
            }
        } catch let failure as ATProtoFailure {
            let problem = Problem(start: failure)
            if failure.isOfServer { failures.note(problem, of: identifier, at: now()) }
            throw problem
        } catch is LimitReached {
            let problem = Problem(
                .gatewayTimeout, "server_unreachable",
                "The server of this account takes too long. Try again later.",
                retryAfter: 60)
            failures.note(problem, of: identifier, at: now())
            throw problem
        }
        let key = Self.key(pending.state)
        let row = Pending(
            archive: try ring.seal(Array(pending.archive.utf8), for: .row, context: key),
            browser: browser.map(Digest.text), landing: landing)
        try await rows.put(
            key, try RowCoding.encode(row), expiry: now() + Self.lifetime, if: .absent, durability: .buffered)
        return pending.url.description
    }

    /// Where a completed login goes on.
    enum End: Sendable {
        case browser(path: String)
        case app(name: String, redirect: String)
        case site(url: String)
    }

    /// Completes the login that a redirect answers.
    ///
    /// - Parameters:
    ///   - query: the query of the redirect.
    ///   - browser: the cookie of the browser that followed it.
    /// - Throws: ``Problem``. Its ``Problem/redirect`` leads to the app, if the login is one of an app, and its
    ///   ``Problem/site`` is the page of the site, if it is one for a site.
    func complete(
        _ query: String, browser: String?
    ) async throws -> (account: AppSession.Entry, end: End) {
        guard let state = FormText.parameters(query)?["state"], let row = try await rows.get(Self.key(state))
        else {
            throw Problem.loginExpired
        }
        let pending = try RowCoding.decode(Pending.self, row)
        if let digest = pending.browser {
            guard let browser, Digest.matches(browser, digest) else {
                // The row stays: the browser that began the login may still come.
                throw Problem(
                    .badRequest, "another_browser",
                    "This login was started in another browser. Open the login page in this one.")
            }
        }
        guard try await rows.delete(row.key, if: .unchanged(row.revision)) else { throw Problem.loginExpired }
        do {
            return try await finish(pending, of: row.key, query)
        } catch var problem as Problem {
            switch pending.landing {
            case .page: break
            case .app(_, let redirect, _, _):
                problem.redirect = RedirectAddress.address(redirect, adding: [("error", problem.code)])
            case .site(let url): problem.site = url
            }
            throw problem
        }
    }

    /// Notes that a login has ended, so that a browser which opens its end again is not shown an error.
    func note(_ end: Finished, of query: String, browser: String?) async throws {
        guard let state = FormText.parameters(query)?["state"] else { return }
        let row = FinishedLogin(end: end, browser: browser.map(Digest.text))
        try await rows.put(
            Self.finishedKey(state), try RowCoding.encode(row), expiry: now() + Self.lifetime, if: .always,
            durability: .buffered)
    }

    /// Where the login of a redirect has ended, for the browser that opened its end.
    ///
    /// - Returns: nil if the login has not ended in the last ten minutes, or has failed, or for another browser.
    func finished(_ query: String, browser: String?) async throws -> Finished? {
        guard let state = FormText.parameters(query)?["state"],
            let row = try await rows.get(Self.finishedKey(state))
        else { return nil }
        let login = try RowCoding.decode(FinishedLogin.self, row)
        guard let digest = login.browser else { return login.end }
        return browser.map { Digest.matches($0, digest) } == true ? login.end : nil
    }

    private func finish(
        _ pending: Pending, of key: String, _ query: String
    ) async throws -> (account: AppSession.Entry, end: End) {
        let archive: [UInt8]
        do { archive = try ring.open(pending.archive, for: .row, context: key) } catch {
            throw Problem.broken
        }
        let account: AppSession.Entry
        do {
            account = try await client.complete(
                PendingLogin(archive: String(decoding: archive, as: UTF8.self)), redirect: query)
        } catch {
            throw Problem(redirect: error)
        }
        do {
            try await book.own(account, by: nil)
        } catch {
            _ = await accounts.logOut(account.id, mustTell: false)
            throw error
        }
        switch pending.landing {
        case .page(let path): return (account, .browser(path: path))
        case .site(let url): return (account, .site(url: url))
        case .app(let app, let redirect, let challenge, let adding):
            let text = RandomText.make()
            let code = Code(account: account, app: app, challenge: challenge, adding: adding)
            try await rows.put(
                Self.codeKey(text), try RowCoding.encode(code), expiry: now() + Self.codeLifetime, if: .absent
            )
            let address = RedirectAddress.address(redirect, adding: [("code", text), ("did", account.did)])
            return (account, .app(name: app, redirect: address))
        }
    }

    /// Exchanges a one-time code for what it was given for. Of several requests with one code, one succeeds.
    func spend(_ code: String, verifier: String) async throws -> (
        account: AppSession.Entry, app: String, adding: UUID?
    ) {
        guard code.utf8.count <= 128, let row = try await rows.get(Self.codeKey(code)) else {
            throw Problem.wrongCode
        }
        let content = try RowCoding.decode(Code.self, row)
        // The code stays after a wrong verifier: its rightful holder may still come.
        guard Self.isVerifier(verifier), Digest.matches(verifier, content.challenge),
            try await rows.delete(row.key, if: .unchanged(row.revision))
        else { throw Problem.wrongCode }
        return (content.account, content.app, content.adding)
    }

    /// RFC 7636 §4.1.
    private static func isVerifier(_ text: String) -> Bool {
        text.wholeMatch(of: /[A-Za-z0-9._~-]{43,128}/) != nil
    }

    /// Whether a text is a challenge of the method S256 (RFC 7636 §4.2).
    static func isChallenge(_ text: String) -> Bool { Base64URL.decode(text)?.count == 32 }

    private static func key(_ state: String) -> String { "login/\(Digest.text(of: state))" }
    private static func finishedKey(_ state: String) -> String { "finished/\(Digest.text(of: state))" }
    private static func codeKey(_ code: String) -> String { "code/\(Digest.text(of: code))" }
}

extension ATProtoFailure {
    /// Whether a server of the account failed, or does not exist.
    fileprivate var isOfServer: Bool {
        [.noSuchAccount, .identity, .network, .metadata, .refused].contains(code)
    }
}

extension Problem {
    /// A login that could not be completed.
    init(redirect failure: ATProtoFailure) {
        switch failure.code {
        case .denied:
            self.init(
                .badRequest, "access_denied", "The login was cancelled. Start again if you want to log in.")
        case .verification:
            self.init(
                .badRequest, "wrong_account",
                "Another account signed in than the one that was asked for. Nothing was saved. Start again.")
        case .foreignRedirect, .invalidRedirect:
            self.init(
                .badRequest, "invalid_redirect", "The answer does not belong to this login. Start again.")
        case .network, .identity, .metadata, .refused, .cancelled:
            self.init(
                .badGateway, "server_unreachable",
                "The login could not be completed at the server. Start again.")
        default: self = .broken
        }
    }
}

/// The work took longer than its limit.
struct LimitReached: Error {}

/// Cancels work that takes longer than a limit.
func withLimit<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @concurrent @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw LimitReached()
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw LimitReached() }
        return first
    }
}
