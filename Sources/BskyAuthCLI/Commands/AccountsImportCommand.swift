internal import ArgumentParser
internal import BskyAuthCore
internal import CredentialVault
internal import JSON
internal import Platform

struct AccountsImportCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take in an account that another machine has exported.",
        discussion: """
            The account keeps its UUID, label and session. The vault is made where there is none. The bundle \
            is worth nothing once the session is refreshed: delete it.
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The file with the bundle; - for standard input.", completion: .file())
    var file: String

    @OptionGroup var bundle: BundleOptions

    func run(_ context: CommandContext) async throws(Failure) {
        // The bundle first: what does not open leaves no vault behind.
        let sealed = try read()
        let key = try bundle.source(context, isNew: false)
        let account: PortableAccount
        do throws(BundleError) {
            account = try SealedBundle(reading: sealed).open(with: key)
        } catch {
            throw ErrorPresenter.failure(error, opening: file)
        }
        let core = try context.core(.init(createsVault: true))
        let added = try ErrorPresenter.presenting { () throws(CoreError) in
            try ImportFlow(core).add(account)
        }
        context.console.say("imported: \(AccountText.name(added.profile))\(added.isActive ? ", active" : "")")
        if file != "-" {
            context.console.say("  the bundle is of no more use:  rm \(file.shown.shellQuoted)")
        }
        guard global.json else { return }
        try context.console.write([
            "schema": "bskyauth.import/1",
            "account": AccountText.json(
                added.profile, added.session, isActive: added.isActive, now: context.now),
        ])
    }

    private func read() throws(Failure) -> [UInt8] {
        do {
            return try InputFile.read(file == "-" ? "/dev/stdin" : file, limit: SealedBundle.limit)
        } catch {
            throw Failure(
                .failure, "bundle_unreadable", "the bundle \(file.shown) can't be read: \(error.reason)",
                hint: "ls -l \(file.shown.shellQuoted)")
        }
    }
}
