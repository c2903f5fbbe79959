internal import ArgumentParser
internal import BskyAuthCore
internal import CredentialVault
internal import FoundationEssentials
internal import JSON

struct AccountsPinCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Choose the account for this directory and all in it.",
        discussion: """
            Writes its UUID to .bskyauth-account here. Commands go by the nearest such file up to your home, \
            before the active account and after -a and BSKYAUTH_ACCOUNT; `logout` and `accounts export` do \
            not. Keep it out of version control: on other machines the account has another UUID.
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: ArgumentHelp("The account.", valueName: "account"), completion: .account)
    var selector: String

    func run(_ context: CommandContext) async throws(Failure) {
        let accounts = try context.core().accounts
        let profile = try context.one(selector, in: accounts)
        let (session, active) = try ErrorPresenter.presenting { () throws(CoreError) in
            (try accounts.session(profile.id), try accounts.activeIfReadable().current)
        }
        let file = try PinFile.write(profile.id)
        context.console.say("pinned: \(AccountText.name(profile)), by \(file.shown)")
        guard global.json else { return }
        try context.console.write([
            "schema": "bskyauth.pin/1",
            "account": AccountText.json(
                profile, session, isActive: profile.id == active, now: context.now),
            "file": .string(file),
        ])
    }
}

struct AccountsUnpinCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Choose no account for this directory any more.",
        discussion: "Removes .bskyauth-account here, whatever is in it. Opens no vault.")

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws(Failure) {
        let removed = try PinFile.remove()
        let next = try PinFile.nearestPath(context.settings)
        context.console.say(removed.map { "unpinned: \($0.shown) is removed" } ?? "nothing is pinned here")
        if let next { context.console.say("  \(next.shown) counts here") }
        guard global.json else { return }
        try context.console.write([
            "schema": "bskyauth.unpin/1", "removed": JSONValue(removed), "next": JSONValue(next),
        ])
    }
}
