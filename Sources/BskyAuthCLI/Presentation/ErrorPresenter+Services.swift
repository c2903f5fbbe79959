internal import ATProto
internal import BskyAuthCore
internal import Networking

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

    /// What gives a session the scope that it lacks.
    private static func login(
        _ account: AccountProfile, _ terms: LoginTerms?, adding scope: String,
        for request: ServiceTokenRequest
    ) -> String {
        guard let terms else { return "bskyauth vault verify" }
        if case .oauth(let held, _) = terms, request.isCovered(byNaming: held) {
            return "the session has a scope for the service by name: add --aud-with-service"
        }
        return AccountText.loginCommand(account, terms.adding(scope))
    }

    static func wrongServiceToken(_ account: AccountProfile, _ problem: ServiceTokenProblem) -> Failure {
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
}
