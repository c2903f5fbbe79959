internal import ArgumentParser

struct DoctorCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out what keeps things from working.",
        discussion: """
            Looks at the vault and its key, permissions, the kernel's keyring, the browser, the proxy, DNS, the \
            clock, and the servers of each account. Changes nothing, sends no token, and works without a vault \
            and offline. Exits with what failed first, and with 0 where nothing did. Whether sessions work is \
            for `accounts --check` to say.
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(
        help: ArgumentHelp(
            "The account whose servers are asked; those of every account where none is named.",
            valueName: "account"),
        completion: .account)
    var selector: String?

    func run(_ context: CommandContext) async throws(Failure) {
        let found = try await Doctor(context: context).examine(selector ?? global.account)
        if global.json {
            try context.console.write(found.json)
        } else {
            try context.console.write(found.table)
        }
        if let failure = found.failure { throw global.json ? failure : failure.told }
    }
}
