internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore

/// Failures of calls to other services.
extension ErrorPresenter {
    /// The account's server gave no token. If a scope is missing, it is the one for this method and audience: what the server
    /// names may be no scope.
    static func failure(_ refusal: CallRefusal, _ request: ServiceTokenRequest) -> Failure {
        guard case .account(let account, let terms) = refusal.sender else { return failure(refusal) }
        let (error, name) = (refusal.error, AccountText.name(account))
        if error.missingScope != nil {
            let scope = PermissionScope.needed(for: request.method, at: request.audience)
            return Failure(
                .scopeMissing, "scope_missing",
                "the session of \(name) lacks the scope \"\(scope)\" for a service token (HTTP \(error.status))",
                hint: login(account, terms, adding: scope, for: request), account: name, http: error.status,
                serverError: error.name)
        }
        var failure = failure(refusal)
        guard failure.status == .refused, failure.code == "refused" else { return failure }
        failure.message =
            "\(account.pds.host) gave no service token for \(request.method): \(words(error))"
        failure.hint = "call it at \(account.pds.host): bskyauth call \(request.method) …"
        return failure
    }

    /// The next step for a session that lacks a scope.
    private static func login(
        _ account: Account, _ terms: LoginTerms?, adding scope: PermissionScope,
        for request: ServiceTokenRequest
    ) -> String {
        guard let terms else { return "bskyauth vault verify" }
        if case .oauth(let held?, _) = terms, request.isCovered(byNaming: held) {
            return "the session has a scope for the service by name: add --aud-with-service"
        }
        return login(account, terms, adding: [scope])
    }

    static func wrongServiceToken(_ account: Account, _ problem: ServiceTokenProblem) -> Failure {
        let what =
            switch problem {
            case .malformed: "no service token that can be read"
            case .issuer: "a service token of another account"
            case .audience: "a service token for another audience"
            case .method: "a service token for other methods"
            case .expiry: "a service token that does not end when it should"
            }
        let name = AccountText.name(account)
        return Failure(
            .verificationFailed, "wrong_service_token",
            "\(account.pds.host) answered \(name) with \(what); it was not used",
            hint: "tell the operator of \(account.pds.host)", account: name)
    }

    /// The next step after a service refused a token.
    static func audienceHint(namesService: Bool) -> String {
        namesService
            ? "the service may take its DID alone: leave out --aud-with-service"
            : "the service may want to be named with its entry: add --aud-with-service"
    }

    static func serviceRedirects(_ service: ServiceReference, _ server: Origin) -> Failure {
        Failure(
            .refused, "service_redirects",
            "\(server.host) redirects the call; bskyauth does not follow a redirect with a service token",
            hint: "ask the operator of \(service) for its right address")
    }

    /// No server of the service may be called. Nothing was sent to it, and no token was asked for.
    static func unusableService(_ service: ServiceReference, _ error: IdentityError) -> Failure {
        let operators = "ask the operator of \(service)"
        switch error.code {
        case .notFound, .reservedName:
            return Failure(
                .unknownAccount, "service_not_found", "\(service.did) does not exist",
                hint: "check the spelling: --service DID#SERVICE")
        case .invalidDocument(.noService):
            return Failure(
                .unknownAccount, "service_not_found",
                "the DID document of \(service.did) has no service #\(service.service)",
                hint: "check the spelling: --service DID#SERVICE")
        case .invalidDocument(.endpointNotAnOrigin):
            return Failure(
                .network, "service_unusable", "the endpoint of \(service) is not the address of a server",
                hint: operators)
        case .invalidDocument(.endpointRefused(.plainHTTP)):
            return Failure(
                .network, "plain_http",
                "the endpoint of \(service) is not https, so no token was asked for and nothing was sent",
                hint: operators)
        case .invalidDocument(.endpointRefused(.privateAddress)):
            return Failure(
                .network, "private_address",
                "the endpoint of \(service) has a private address, so no connection was opened",
                hint: "if it is your own server, add --allow-private-network")
        case .invalidDocument(.endpointRefused(.outsideDevNetwork)):
            return Failure(
                .network, "outside_dev_network",
                "the endpoint of \(service) is not on this machine, and BSKYAUTH_DEV_NETWORK allows only this machine",
                hint: "unset BSKYAUTH_DEV_NETWORK")
        default:
            let failure = self.failure(error)
            return Failure(
                failure.status, failure.code, failure.message,
                hint: failure.status == .verificationFailed ? operators : failure.hint)
        }
    }
}
