internal import ArgumentParser
internal import CredentialVault
internal import FoundationEssentials
internal import JSON

struct VaultVerifyCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Open every file of the vault and name those that are damaged; change nothing.",
        discussion: "Ends with 0 where every file is as it was written, and with 7 where one is not.")

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws(Failure) {
        let vault = try context.openVault()
        let check = try ErrorPresenter.presenting { () throws(VaultError) in try vault.check() }
        let failure = ErrorPresenter.failure(check)
        if global.json {
            try context.console.write(Self.json(check, vault.home))
        } else if failure != nil {
            var table = Table(header: ["FILE", "PROBLEM"])
            for finding in check.findings {
                table.append([finding.file.shown, ErrorPresenter.problem(finding.error)])
            }
            for line in table.lines { try context.console.write(line: line) }
        }
        for file in check.outdated {
            context.console.say(
                "\(file.shown) is missing or behind; nothing is lost, and bskyauth vault restore renews it")
        }
        for file in check.leftovers {
            context.console.say(
                "\(file.shown) was left by a killed command; bskyauth vault restore removes it")
        }
        if let failure { throw failure }
        context.console.say("\(check.goodFiles) files, all as they were written")
    }

    private static func json(_ check: VaultCheck, _ home: String) -> JSONValue {
        let damaged = check.findings.map { finding -> JSONValue in
            [
                "file": .string(finding.file),
                "account": JSONValue(finding.account?.shown),
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
        ]
    }
}
