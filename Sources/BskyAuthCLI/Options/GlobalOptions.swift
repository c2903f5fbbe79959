internal import ArgumentParser

/// What every command takes.
struct GlobalOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, help: "The account: a label, handle, DID, UUID or unique UUID prefix.",
        completion: .account)
    var account: String?

    @Flag(help: "Print JSON on standard output, and errors as one JSON line on standard error.")
    var json = false

    @Flag(name: .shortAndLong, help: "Say nothing but errors, and where to sign in, on standard error.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Tell what is done, request by request; secrets are left out.")
    var verbose = false

    @Flag(help: "Never ask anything: fail with what is missing. So too where CI is set.")
    var noInput = false

    @Option(help: ArgumentHelp("Whether there are colours.", valueName: "when"))
    var color = ColorChoice.auto

    @Option(help: ArgumentHelp("The directory of the vault.", valueName: "directory"), completion: .directory)
    var home: String?

    @Option(
        help: ArgumentHelp("A file whose first line is the passphrase of the vault.", valueName: "file"),
        completion: .file())
    var passphraseFile: String?

    @Option(
        help: ArgumentHelp(
            "A file that holds a key of the vault; made when the vault is.", valueName: "file"),
        completion: .file())
    var keyFile: String?

    @Option(
        help: ArgumentHelp(
            "How accounts are looked up: direct, slingshot or slingshot=URL.", valueName: "how"))
    var resolver: String?

    @Flag(help: "Ask servers at private addresses too, as one at home has.")
    var allowPrivateNetwork = false

    @Option(
        help: ArgumentHelp(
            "How long a server may keep one request waiting, as 30s; a refresh has its 90s.",
            valueName: "time"))
    var httpTimeout: TimeLength?

    @Option(
        help: ArgumentHelp(
            "How long another process may hold an account before this one gives up (default: 10s).",
            valueName: "time"))
    var lockTimeout: TimeLength?
}
