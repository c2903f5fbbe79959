internal import BskyAuthCore
internal import CredentialVault
internal import FoundationEssentials

/// Failures about names that may select an unexpected account.
extension ErrorPresenter {
    /// `-a` and a command's own argument that name two accounts.
    static func notOneAccount(option: AccountProfile, argument: AccountProfile) -> Failure {
        Failure(
            .usage, "two_accounts",
            "-a names \(AccountText.name(option)), but the argument names \(AccountText.name(argument)); "
                + "name one of them; nothing was done",
            hint: "bskyauth accounts")
    }

    /// `-a` with the list of all accounts.
    static func listOfOneAccount(_ name: String) -> Failure {
        Failure(
            .usage, "usage", "accounts lists every account, so it can't be used with -a",
            hint: "bskyauth accounts show \(name.escapedForTerminal.shellQuoted)")
    }

    /// A label that would stand for another account.
    static func labelTaken(_ label: String, by id: UUID) -> Failure {
        Failure(
            .usage, "label_taken",
            "\"\(label.escapedForTerminal)\" is already the handle, DID or UUID of another account (\(id.text.prefix(8))); "
                + "choose another label",
            hint: "bskyauth accounts")
    }
}
