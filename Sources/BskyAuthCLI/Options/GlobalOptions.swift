internal import ArgumentParser

/// What every command takes.
struct GlobalOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, help: "The account: a label, handle, DID, UUID or unique UUID prefix.",
        completion: .account)
    var account: String?

    @Flag(help: "Print JSON on standard output, and errors as one JSON line on standard error.")
    var json = false

    @Flag(name: .shortAndLong, help: "Say nothing but errors on standard error.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Tell what is done, request by request; secrets are left out.")
    var verbose = false

    @Flag(help: "Never ask anything: fail with what is missing. Set by CI.")
    var noInput = false

    @Option(help: "Colours: auto, always or never.")
    var color = ColorChoice.auto

    @Option(help: "The directory of the vault.", completion: .directory)
    var home: String?

    @Option(help: "A file whose first line is the passphrase of the vault.", completion: .file())
    var passphraseFile: String?

    @Option(help: "A file that holds a key of the vault; made when the vault is.", completion: .file())
    var keyFile: String?

    @Option(help: "How accounts are looked up: direct, slingshot or slingshot=URL.")
    var resolver: String?

    @Option(help: "How long another process may hold an account before this one gives up, as 10s.")
    var lockTimeout: TimeLength?
}
