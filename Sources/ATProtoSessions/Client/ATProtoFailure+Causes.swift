internal import ATPCryptography
internal import ATPNetworking
internal import ATProtoIdentity
package import ATProtoXRPC
internal import OAuthDPoP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ATProtoFailure {
    /// Any error of a flow.
    package init(_ error: any Error) {
        switch error {
        case let error as ATProtoFailure: self = error
        case let error as SessionFailure: self.init(error)
        case let error as StoreError: self.init(error)
        case let error as IdentityError: self.init(error)
        case let error as TransportError: self.init(OAuthFailure(error), .network)
        case let error as DiscoveryError: self.init(OAuthFailure(error), .metadata)
        case let error as CryptographyError: self.init(OAuthFailure(error), .cryptography)
        case let error as RecordVerificationError: self.init(error)
        case let error as AuthorizationResponseError: self.init(redirect: OAuthFailure(error))
        case is CancellationError: self.init(.cancelled, "the task was cancelled")
        default: self.init(.unexpected, "unexpected error: \(type(of: error))")
        }
    }

    /// - Parameter code: the code, unless the network failed.
    private init(_ failure: OAuthFailure, _ code: Code) {
        let isCancelled = failure.network?.code == .cancelled
        self.init(isCancelled ? .cancelled : failure.network == nil ? code : .network, failure.description)
        status = failure.status
        error = failure.error
        errorDescription = failure.errorDescription
        retryAt = failure.retryAfter.map { Date().addingTimeInterval(Double($0)) }
        requestWasSent = failure.requestWasSent
        cause = failure.network
        mayPass = failure.network?.mayPass ?? status.map { $0 == 429 || $0 >= 500 } ?? false
    }

    /// - Parameter error: the error of showing the page of a login. `CancellationError` says that the person gave up.
    package init(userAgent error: any Error) {
        self.init(.userAgent, "the login was not completed: \(error)")
        if error is CancellationError { self.init(.cancelled, "the login was cancelled") }
        cause = error
    }

    init(redirect failure: OAuthFailure) {
        switch failure.code {
        case .foreignRedirect: self.init(failure, .foreignRedirect)
        case .denied: self.init(failure, .denied)
        default: self.init(failure, .invalidRedirect)
        }
    }

    private init(_ error: StoreError) {
        switch error.code {
        case .noSuchSession: self.init(.unknownAccount, "the store has no such account")
        case .cancelled: self.init(.cancelled, "\(error)")
        default: self.init(.store, "\(error)")
        }
        cause = error
        mayPass = error.isPassing
    }

    /// The error of a store that did not remove an account.
    ///
    /// - Parameter ending: what became of its session at the server; nil if it was not tried.
    init(_ error: StoreError, notRemoving account: Account, after ending: Result<Void, any Error>?) {
        self.init(error)
        let before: String
        switch ending {
        case nil: return
        case .success: before = "the session of \(account.name) ended at its server"
        case .failure: before = "the server of \(account.name) was not told of the logout"
        }
        let (cause, mayPass) = (cause, mayPass)
        self.init(.store, "\(before), but the account can't be removed: \(error)")
        self.cause = cause
        self.mayPass = mayPass
    }

    private init(_ error: SessionFailure) {
        switch error {
        case .oauth(let error, _): self.init(OAuthFailure(error), .refused)
        case .clientKeyMissing(let client, let keyID):
            self.init(.clientKeyMissing, "the key \(keyID) of \(client) is not here")
        case .verification(let failure), .unverified(let failure, _):
            self.init(.verification, failure.words)
            requestWasSent = true
        case .nothingGranted(let asked, _):
            let words = UntrustedText.harmless(asked.description)
            self.init(.denied, "the server granted nothing of \(words); nothing was saved")
            requestWasSent = true
        case .refreshFailed(let error, let retryAt):
            let failure = ATProtoFailure(error)
            self.init(.notRefreshed, "the session could not be refreshed: \(failure)")
            status = failure.status
            self.error = failure.error
            errorDescription = failure.errorDescription
            self.retryAt = retryAt
            requestWasSent = true
            mayPass = true
        case .refreshPostponed(_, let status, let retryAt):
            self.init(.notRefreshed, "an earlier refresh has not ended, and it is too early for another one")
            self.status = status
            self.retryAt = retryAt
            mayPass = true
        case .refreshUnclear(_, _, let status, let until):
            self.init(.notRefreshed, "the last refresh got no clear answer; the access token still works")
            self.status = status
            retryAt = until
            mayPass = true
        case .sessionEnded(_, let ending):
            self.init(.sessionEnded, "the session has ended: \(ending.words)")
        case .tokenRefused(_, let refusal): self.init(.xrpc, "the server", refusal)
        case .logoutRefused(_, let issuer, let said):
            let words = said.map { ": \($0)" } ?? ""
            self.init(.refused, "\(issuer) did not end the session, because it refuses the client\(words)")
            requestWasSent = true
        case .accountMoved(let login, let server, let cause):
            self.init(cause)
            description = "\(login.account.name) has moved to \(server.host), so log in there: \(description)"
            mayPass = false
        case .oauthNotServed(let server, let cause):
            self.init(cause)
            description =
                "\(server.host) answers calls, but does not serve its OAuth metadata: \(description)"
        case .cancelled: self.init(.cancelled, "the task was cancelled")
        }
    }

    private init(_ error: IdentityError) {
        self.init(error.kind == .doesNotExist ? .noSuchAccount : .identity, error.description)
        switch error.code {
        case .transport(let cause): self.cause = cause
        case .status(let answered): status = answered
        default: break
        }
        mayPass = error.mayPass
    }

    private init(_ error: RecordVerificationError) {
        switch error {
        case .notProven(let step): self.init(.notProven, "the proof failed: \(step)")
        case .pastKey(let did, _), .outlivedKey(let did, _):
            self.init(.notProven, "an earlier key of \(did) signed the proof")
        case .differs(_, let server, _):
            self.init(.notProven, "\(server?.host ?? "the answer") says something else than the proof")
        case .absent(let uri, _): self.init(.notProven, "\(uri) is proven to be absent")
        case .invalidRecord(let uri): self.init(.notProven, "\(uri) is proven, but is not valid data")
        case .empty(let server): self.init(.unreadableAnswer, "\(server.host) answered with nothing")
        case .webPage(let server, let nsid):
            self.init(.unreadableAnswer, "\(server.host) answered \(nsid) with a web page")
        case .noKey(let did): self.init(.identity, "the document of \(did) names no key that signs commits")
        case .refused(let refusal, let server, _): self.init(.xrpc, server.host, refusal)
        }
    }

    /// The error answer of an account's server to a call.
    init(_ refusal: XRPCError) {
        self.init(.xrpc, "the server", refusal)
    }

    /// An error answer.
    ///
    /// - Parameter server: who answered.
    package init(_ code: Code, _ server: String, _ refusal: XRPCError) {
        let redirect = refusal.redirectTarget.map { "a redirect to \($0), which is not followed" }
        let words = [refusal.name, refusal.message, redirect].compactMap(\.self).joined(separator: ": ")
        self.init(code, "\(server) answered \(refusal.status)" + (words.isEmpty ? "" : ": \(words)"))
        status = refusal.status
        error = refusal.name
        errorDescription = refusal.message
        missingScope = refusal.missingScope
        mayPass = refusal.isTransient
        requestWasSent = true
        let now = Date()
        if let wait = refusal.requestedWait(from: Int64(now.timeIntervalSince1970)) {
            retryAt = now.addingTimeInterval(Double(wait.components.seconds))
        }
    }
}

extension VerificationFailure {
    fileprivate var words: String {
        switch self {
        case .subjectIsAnother(let expected, let received):
            "the tokens are of \(UntrustedText.harmless(received)), not of \(expected)"
        case .anotherSignedIn(let person, let expected):
            "\(person.words) signed in, not \(expected.words)"
        case .handleIsAnothers(let handle): "@\(handle) does not belong to the account that signed in"
        case .subjectIsNoDID: "the tokens name no account"
        case .issuerMismatch(let account, let expected, let found):
            "\(account) is at \(UntrustedText.harmless(found)) now, and the tokens are of \(expected)"
        case .tokenResponse(let problem): OAuthFailure(problem).description
        }
    }
}

extension NamedDID {
    fileprivate var words: String { handle.map { "@\($0) (\(did))" } ?? did.description }
}

extension SessionEnding {
    fileprivate var words: String {
        switch self {
        case .expired(nil): "the server ended it"
        case .expired(let said?): "the server says: \(said)"
        case .lostRotation: "the server refreshed it, and its answer was lost"
        case .unreadable: "the server refreshed it, and its answer can't be read"
        case .uncertain: "the server refuses to refresh it, and does not say why"
        case .quarantined: "the server gave tokens that are not acceptable"
        case .notRefreshable: "the server gave no refresh token, and the access token has expired"
        }
    }
}
