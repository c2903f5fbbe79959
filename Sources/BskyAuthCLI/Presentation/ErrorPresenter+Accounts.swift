internal import BskyAuthCore

/// Names that mean another account than somebody might think.
extension ErrorPresenter {
    /// `-a` and a command's own argument that name two accounts.
    static func notOneAccount(option: AccountProfile, argument: AccountProfile) -> Failure {
        Failure(
            .usage, "two_accounts",
            "-a names \(AccountText.name(option)), and the argument \(AccountText.name(argument)): "
                + "leave one of them out; nothing was done",
            hint: "bskyauth accounts")
    }
}
