internal import ATPJSON
internal import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "List and manage the accounts in the vault.",
        subcommands: [
            AccountsListCommand.self, AccountsCurrentCommand.self, AccountsShowCommand.self,
            AccountsRenameCommand.self, AccountsPinCommand.self, AccountsUnpinCommand.self,
            AccountsExportCommand.self, AccountsImportCommand.self,
        ],
        defaultSubcommand: AccountsListCommand.self)
}

struct AccountsCurrentCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "current", abstract: "Show the account that commands use here, and why.")

    @OptionGroup var part: GetOption

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document { try await Self.document(part, context) }

    static func document(_ part: GetOption, _ context: CommandContext) async throws -> Document {
        let accounts = try context.accounts()
        let selection = try await context.select(in: accounts)
        let account = selection.account
        let (session, active) = (try accounts.session(account.id), try accounts.active().current)
        let intent = accounts.unclearIntent(of: account.id, session)
        return Document(
            [
                "schema": "bskyauth.current/1",
                "account": AccountText.json(
                    account, session, unclear: intent, isActive: account.id == active, now: context.now),
                "source": .string(selection.source.rawValue),
                "source_detail": JSONValue(selection.file),
            ], part: part, text: .lines([AccountText.name(account)])
        ) {
            context.console.say("chosen by: \(selection.words)")
            context.sayConcern(account, session, unclear: intent)
        }
    }
}

/// Another name of `accounts current`.
struct WhoamiCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Show the account that commands use here, like accounts current.")

    @OptionGroup var part: GetOption

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        try await AccountsCurrentCommand.document(part, context)
    }
}

struct AccountsShowCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the details of one account, without its secrets.")

    @Argument(help: ArgumentHelp("The account.", valueName: "account"), completion: .account)
    var selector: String

    @OptionGroup var part: GetOption

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let accounts = try context.accounts()
        let account = try await context.one(selector, in: accounts)
        let (json, session) = (try Self.json(account, accounts, context), try accounts.session(account.id))
        return Document(json, part: part, text: .table(Self.table(account, session, json))) {
            context.sayConcern(
                account, session, unclear: accounts.unclearIntent(of: account.id, session))
        }
    }

    private static func table(_ account: Account, _ session: Session, _ json: JSONValue) -> Table {
        var table = Table(header: ["account", AccountText.name(account)])
        var members = json["account"]?.object?.members ?? []
        if let time = json[notBefore], !time.isNull {
            members.append(JSONObject.Member(name: notBefore, value: time))
        }
        for member in members {
            if member.name == "scopes", session.credential.oauth != nil {
                let words = PermissionWords(granted: session.scope.values)
                let lines = PermissionText.lines(words) + PermissionText.warnings(words)
                for (index, line) in lines.enumerated() { table.append([index == 0 ? "may" : "", line]) }
                continue
            }
            // A scope can have hundreds of permissions. --json and --get show them all.
            let isScope = member.name == "requested_scope" && !member.value.isNull
            let text = shown(member.value)
            table.append([
                member.name,
                isScope ? ScopeText.list(Scope(text).values) : text.escapedForTerminal,
            ])
        }
        return table
    }

    /// `since 2026-03-01T10:00:00Z, until 2026-03-01T12:00:00Z` for an object.
    private static func shown(_ value: JSONValue) -> String {
        if let members = value.object?.members {
            return members.map { "\($0.name) \(shown($0.value))" }.joined(separator: ", ")
        }
        return value.string ?? value.strings?.joined(separator: " ") ?? value.text
    }

    /// The account, and the time before which its refresh token is not sent.
    static func json(
        _ account: Account, _ accounts: VaultAccounts, _ context: CommandContext
    ) throws -> JSONValue {
        let (session, active) = (try accounts.session(account.id), try accounts.active().current)
        let answer = accounts.answer(of: account.id, session, postponingAfter: context.now)
        return [
            "schema": "bskyauth.account/1",
            "account": AccountText.json(
                account, session, unclear: accounts.unclearIntent(of: account.id, session),
                isActive: account.id == active, now: context.now),
            notBefore: JSONValue(answer.map { TimeText.rfc3339($0.notBefore) }),
            "permissions": session.credential.oauth == nil
                ? .null : .object(PermissionText.json(PermissionWords(granted: session.scope.values))),
        ]
    }

    private static let notBefore = "refresh_not_before"
}

struct AccountsRenameCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Change the label of an account.")

    @Argument(help: ArgumentHelp("The account.", valueName: "account"), completion: .account)
    var selector: String

    @Argument(help: "The new label. An empty text removes the label.")
    var label: String

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let newLabel = label.isEmpty ? nil : try AccountLabel.validated(label)
        let accounts = try context.accounts()
        let named = try await context.one(selector, in: accounts)
        let account = try await accounts.rename(named, to: newLabel, lockTimeout: context.lockTimeout)
        return Document(try AccountsShowCommand.json(account, accounts, context)) {
            context.console.say("renamed: \(AccountText.name(account))")
            if let note = try AccountText.sharedLabel(of: account, in: accounts) { context.console.say(note) }
        }
    }
}

extension AccountSelection {
    /// The rule, in words for people.
    var words: String {
        switch source {
        case .flag: "-a/--account"
        case .environment: "BSKYAUTH_ACCOUNT"
        case .pin: "the pin \((file ?? PinFile.name).escapedForTerminal)"
        case .active: "the active account (bskyauth switch)"
        case .only: "the only account in the vault"
        }
    }
}
