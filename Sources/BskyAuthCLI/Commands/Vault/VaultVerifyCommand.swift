internal import ATPJSON
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import FoundationEssentials

struct VaultVerifyCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every file of the vault for damage. Changes nothing.",
        discussion: "The exit status is 0 if every file is intact, and 7 if a file is damaged.")

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let vault = try context.openVault()
        let check = try vault.check()
        let failure = ErrorPresenter.failure(check)
        return Document(
            Self.json(check, vault.home), text: failure == nil ? nil : .table(Self.table(check)),
            afterwards: {
                Self.sayRest(check, context.console)
                if let failure { throw failure }
                context.console.say("\(check.goodFiles) files, all intact")
            })
    }

    /// Says what `vault restore` can mend.
    private static func sayRest(_ check: VaultCheck, _ console: Console) {
        for file in check.outdated {
            console.say(
                "\(file.escapedForTerminal) is missing or out of date; nothing is lost; to write it again: bskyauth vault restore"
            )
        }
        for file in check.leftovers {
            console.say(
                "\(file.escapedForTerminal) was left behind by a killed command; to remove it: bskyauth vault restore"
            )
        }
        for file in check.keptLogins {
            console.say(
                "\(file.escapedForTerminal) is a login that was interrupted before it was saved; to save it: bskyauth vault restore"
            )
        }
    }

    private static func table(_ check: VaultCheck) -> Table {
        var table = Table(header: ["FILE", "PROBLEM"])
        for finding in check.findings {
            table.append([finding.file.escapedForTerminal, ErrorPresenter.problem(finding.error)])
        }
        return table
    }

    private static func json(_ check: VaultCheck, _ home: String) -> JSONValue {
        let damaged = check.findings.map { finding -> JSONValue in
            [
                "file": .string(finding.file),
                "account": JSONValue(finding.account?.text),
                "code": .string(ErrorPresenter.failure(finding.error).code),
                "reason": .string(ErrorPresenter.problem(finding.error)),
            ]
        }
        return [
            "schema": "bskyauth.vault-verify/1",
            "home": .string(home),
            "good_files": JSONValue(check.goodFiles),
            "damaged": .array(damaged),
            "outdated": JSONValue(check.outdated),
            "leftovers": JSONValue(check.leftovers),
            "kept_logins": JSONValue(check.keptLogins),
        ]
    }
}
