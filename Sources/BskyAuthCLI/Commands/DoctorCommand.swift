internal import ArgumentParser

struct DoctorCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check this machine, the network and your accounts for problems.",
        discussion: """
            Checks the vault and its key, file permissions, the kernel keyring, the browser, the proxy, DNS, the \
            clock, and the servers of each account. It changes nothing, sends no token, and also works offline \
            and without a vault. The exit status is that of the first failed check, or 0. To check whether \
            sessions work, run `bskyauth accounts --check`.
            """)

    @Argument(
        help: ArgumentHelp(
            "Check the servers of this account only.",
            valueName: "account"),
        completion: .account)
    var selector: String?

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws -> Document {
        let found = try await Doctor(context: context, servers: servers).examine(selector ?? global.account)
        return Document(found.json, text: .table(found.table), failure: found.failure)
    }
}
