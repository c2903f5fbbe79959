internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore

extension ErrorPresenter {
    /// What a service's refusal of a password session's request means.
    static func passwordFailure(_ error: XRPCError, _ account: Account?) -> Failure {
        let name = account.map(AccountText.name)
        let what = words(error)
        if error.name == "AuthFactorTokenRequired" {
            return Failure(
                .refused, "factor_required", "the server asks for the code that it sent by e-mail: \(what)",
                hint: "log in at a terminal, or use an app password, which needs no code", account: name,
                http: error.status, serverError: error.name)
        }
        if error.saysUnknownMethod {
            return Failure(
                .refused, "unknown_method", "the server has no logins with a password: \(what)",
                hint: account.map(AccountText.loginCommand) ?? "bskyauth login HANDLE", account: name,
                http: error.status, serverError: error.name)
        }
        if let account {
            if let failure = standstill(of: account, error) { return failure }
            // The session exists, so no password was sent.
            return refusal(error, what, by: "the server", name) {
                Failure(
                    .refused, "refused",
                    "the server refused the session of \(AccountText.name(account)): \(what)",
                    hint: AccountText.loginCommand(account, .appPassword), account: name,
                    http: error.status, serverError: error.name)
            }
        }
        return refusal(error, what, by: "the server", name) {
            Failure(
                .refused, "refused", "the server refused the password: \(what)",
                hint: "create an app password in the account's settings and log in with it", account: name,
                http: error.status, serverError: error.name)
        }
    }
}
