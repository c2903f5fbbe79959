internal import ATPPlatform
internal import ArgumentParser

/// The options of every command.
struct GlobalOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: "The account to use: a label, a handle, a DID, a UUID or the beginning of a UUID.",
        completion: .account)
    var account: String?

    @Flag(help: "Print results as JSON on standard output, and errors as one JSON line on standard error.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print only errors and the sign-in URL on standard error.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print each request and its result, without secrets, on standard error.")
    var verbose = false

    @Flag(help: "Never ask a question; fail if something is missing. This is the default if CI is set.")
    var noInput = false

    @Flag(help: "Print long results without a pager.")
    var noPager = false

    @Option(help: ArgumentHelp("When to use colors.", valueName: "when"))
    var color = ColorChoice.auto

    @Option(help: ArgumentHelp("The vault directory.", valueName: "directory"), completion: .directory)
    var home: String?

    @Option(
        help: ArgumentHelp("A file whose first line is the passphrase of the vault.", valueName: "file"),
        completion: .file())
    var passphraseFile: String?

    @Option(
        help: ArgumentHelp(
            "A key file that opens the vault. If there is no vault yet, both are created.", valueName: "file"),
        completion: .file())
    var keyFile: String?

    @Option(
        help: ArgumentHelp(
            "How to look up accounts: direct, slingshot or slingshot=URL.", valueName: "how"))
    var resolver: String?

    @Flag(help: "Allow servers at private addresses, for example a server at home.")
    var allowPrivateNetwork = false

    @Option(
        help: ArgumentHelp(
            "The time-out for one request, for example 30s. A refresh always has 90s.",
            valueName: "time"))
    var httpTimeout: TimeLength?

    @Option(
        help: ArgumentHelp(
            "How long to wait while another process uses the account (default: 10s).",
            valueName: "time"))
    var lockTimeout: TimeLength?

    /// The options of this command line that say which vault it is and what opens it. A next step without them would
    /// mean another vault. A descriptor can't be named again.
    var vaultOptions: VaultOptions {
        VaultOptions(
            home: home.map { ["--home", $0] } ?? [],
            key: Self.keyOptions.flatMap { name, value in
                value(self).flatMap { InputFile.isDescriptor($0) ? nil : [name, $0] } ?? []
            })
    }

    /// The options that name what opens the vault. Hints repeat them, and completions read them.
    static let keyOptions: [(name: String, value: @Sendable (GlobalOptions) -> String?)] = [
        ("--passphrase-file", { $0.passphraseFile }), ("--key-file", { $0.keyFile }),
    ]
}

/// Options that commands in hints repeat.
struct VaultOptions: Sendable {
    /// The vault's directory.
    var home: [String] = []
    /// What opens the vault.
    var key: [String] = []
}

/// Whether there are colours in what a person reads.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never

    /// By the variables of bixense.com/clicolors and no-color.org where it is left to us, in gh's order.
    func isOn(_ settings: Settings, isTerminal: Bool) -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .auto:
            func value(_ name: String) -> String { settings.environment[name] ?? "" }
            if !["", "0"].contains(value("CLICOLOR_FORCE")) { return true }
            if !value("NO_COLOR").isEmpty || value("CLICOLOR") == "0" { return false }
            return isTerminal && settings.terminalMoves
        }
    }
}
