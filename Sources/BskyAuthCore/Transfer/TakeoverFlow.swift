internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
package import ATProtoSessions
internal import ATProtoVault
internal import ATProtoXRPC
internal import FoundationEssentials
package import OAuthDPoP

/// Takes over the session of another OAuth client, with the checks of a login. The login itself is not repeated.
///
/// The other client must not use the session any more: whoever refreshes it first ends the other's copy.
package struct TakeoverFlow: Sendable {
    private let environment: SessionEnvironment

    package init(_ environment: SessionEnvironment) {
        self.environment = environment
    }

    /// Checks a session and adds its account to the vault. Nothing is saved before every check has passed, no existing
    /// account is replaced, and no token is spent.
    ///
    /// - Parameters:
    ///   - client: the client that the session belongs to (``NodeSession/client(named:)``).
    ///   - label: the label of the new account.
    /// - Returns: the account, its session, whether it is active now, and what only a refresh can show.
    package func take(
        _ saved: NodeSession, of client: Client, label: String?
    ) async throws -> (account: Account, session: Session, isActive: Bool, doubt: Doubt?) {
        // Without its key, a confidential client could neither refresh the session nor end it.
        _ = try environment.clients.key(of: client)
        let (identity, metadata) = try await IssuerVerifier(environment.network)
            .account(.did(saved.did), freshness: .now)
        guard metadata.issuer.description == saved.issuer else {
            throw SessionFailure.verification(
                .issuerMismatch(
                    account: saved.did.description, expected: saved.issuer,
                    found: metadata.issuer.description))
        }
        let now = environment.network.wallClock.now
        let account = environment.newAccount(identity, label: label, at: now)
        if let conflict = try conflict(saved.key, of: account) { throw conflict }
        let session = Session(
            credential: .oauth(OAuthCredential(issuer: metadata.issuer, client: client, key: saved.key)),
            createdAt: now, accessToken: saved.accessToken, refreshToken: saved.refreshToken,
            accessExpiresAt: saved.accessExpiresAt ?? now, obtainedAt: now, scope: saved.scope)
        let isAccepted = try await isAccepted(
            session, of: account, mayHaveExpired: saved.accessExpiresAt == nil)
        // Once more, because another command may have taken the session meanwhile.
        var found: (any KnownError)?
        let taken: Account?
        do {
            taken = try await environment.accounts.addNew(account, session) { () throws(VaultError) in
                found = try conflict(saved.key, of: account)
                if found != nil { throw .loginTaken(account) }
            }
        } catch {
            throw found ?? error
        }
        if let taken { throw VaultError.loginTaken(taken) }
        let isActive =
            isAccepted ? try environment.accounts.activate(afterLogin: account.id, isWanted: false) : false
        // Without a refresh token, nothing can show more, and the client does not matter.
        let isCertain = saved.namesClient || session.refreshToken == nil
        let doubt: Doubt? = isAccepted ? (isCertain ? nil : .client) : .accessToken
        return (account, session, isActive, doubt)
    }

    /// What only a refresh of a session can show.
    package enum Doubt: Sendable {
        /// The access token has expired, so nothing shows that the session works. The account is not made active.
        case accessToken
        /// The access token works, but the file does not prove that the session belongs to this client, or how the client
        /// authenticates.
        case client
    }

    /// The account here that has the session, under whatever label, or the same login: two accounts with one session would
    /// end it.
    private func conflict(_ key: DPoPKey, of account: Account) throws(VaultError) -> (any KnownError)? {
        let accounts = environment.accounts
        for holder in try accounts.holders(of: account.did.description) {
            if try accounts.vault.session(of: holder.id).credential.oauth?.key.thumbprint == key.thumbprint {
                return CoreError.takeover(.alreadyHere(holder))
            }
        }
        return try accounts.account(sameLoginAs: account).map { VaultError.loginTaken($0) }
    }

    /// Asks the account's server whose session this is; false if the access token has expired or soon will.
    ///
    /// - Parameter mayHaveExpired: whether the end of the access token is not known.
    private func isAccepted(
        _ session: Session, of account: Account, mayHaveExpired: Bool
    ) async throws -> Bool {
        let lives = session.lives(at: environment.network.wallClock.now, margin: 5)
        guard let credential = session.credential.oauth, lives || mayHaveExpired else {
            guard session.refreshToken != nil else { throw CoreError.takeover(.refused) }
            return false
        }
        let cache = SessionCache(account: nil, store: environment.network.caches)
        let client = DPoPClient(transport: environment.network.transport, nonces: cache, clock: cache)
        let request = XRPCRequest(.query, .getSession)
        let answer: ResourceResponse
        do {
            answer = try await client.sendToResourceServer(
                request.transportRequest(to: account.pds), key: credential.key,
                accessToken: session.accessToken)
        } catch let error {
            throw SessionFailure.oauth(error, nil)
        }
        if case .invalidToken = answer, mayHaveExpired, session.refreshToken != nil { return false }
        guard case .answered(let response) = answer else { throw CoreError.takeover(.refused) }
        guard (200..<300).contains(response.status) else {
            let body = try await response.body.beginning(upTo: XRPCError.longestBody)
            let error = XRPCError(status: response.status, headerFields: response.headerFields, body: body)
            throw error.isTransient
                ? CoreError.callRefused(CallRefusal(request, error, from: .account(account, nil)))
                : CoreError.takeover(.refused)
        }
        let body = try await response.body.collect(upTo: Self.longestAnswer)
        // The answer may have a DID document, whose other members don't matter here.
        let said = try? JSONParser.parse(body, leniency: .halfSurrogates)
        guard said?["did"]?.string == account.did.description else {
            throw CoreError.takeover(.anotherAccount)
        }
        cache.keep(for: account.id)
        return true
    }

    /// The size limit of the answer in bytes. It may contain a DID document.
    private static let longestAnswer = 1 << 20
}

extension AccessToken {
    /// Whether the token is valid in an `Authorization` field. RFC 6750 §2.1 allows letters, digits and some other
    /// characters.
    var fitsHeader: Bool {
        let text = reveal()
        return !text.isEmpty && text.utf8.allSatisfy { 0x21...0x7e ~= $0 }
    }
}
