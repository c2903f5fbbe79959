internal import ATPJSON
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials

struct AccountsPinCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Choose the account for this directory and everything below it.",
        discussion: """
            Writes the account's UUID to the file .bskyauth-account in this directory. Commands use the nearest \
            such file, from this directory up to your home directory. -a and BSKYAUTH_ACCOUNT override it, and it \
            overrides the active account. `logout` and `accounts export` ignore it. Don't commit the file: on \
            another machine the account has another UUID.
            """)

    @Argument(help: ArgumentHelp("The account.", valueName: "account"), completion: .account)
    var selector: String

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let accounts = try context.accounts()
        let account = try await context.one(selector, in: accounts)
        let (session, active) = (try accounts.session(account.id), try accounts.activeIfReadable().current)
        let file = try PinFile.write(account.id)
        context.console.say("pinned: \(AccountText.name(account)), in \(file.escapedForTerminal)")
        return Document([
            "schema": "bskyauth.pin/1",
            "account": AccountText.json(
                account, session, unclear: accounts.unclearIntent(of: account.id, session),
                isActive: account.id == active, now: context.now),
            "file": .string(file),
        ])
    }
}

struct AccountsUnpinCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Remove the pin of this directory.",
        discussion:
            "Removes the file .bskyauth-account from this directory, whatever it contains. Needs no vault key."
    )

    @OptionGroup var global: GlobalOptions

    var usesCryptography: Bool { false }

    func run(_ context: CommandContext) async throws -> Document {
        let removed = try PinFile.remove()
        let next = try PinFile.nearestPath(context.settings)
        context.console.say(
            removed.map { "unpinned: removed \($0.escapedForTerminal)" } ?? "this directory has no pin")
        if let next { context.console.say("  the pin \(next.escapedForTerminal) now applies here") }
        return Document([
            "schema": "bskyauth.unpin/1", "removed": JSONValue(removed), "next": JSONValue(next),
        ])
    }
}
