internal import ATPCryptography
internal import ATPJSON
internal import ATPPlatform
internal import ATProtoVault
internal import ArgumentParser

struct VaultJoinCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Join a vault that another machine shares.",
        discussion: """
            Creates a vault on this machine with copies of the shared accounts. It needs a key file of the shared \
            vault: --key-file. To use a new password for the store, join again. See bskyauth-sharing(7).
            """)

    @Argument(help: ArgumentHelp("The store, as vault share named it.", valueName: "url"))
    var url: String

    @Flag(help: "The disk of this machine stays, as on a server (the default, except under CI).")
    var durable = false

    @Flag(help: "The disk of this machine ends with its job, as in CI. Others don't wait for it for long.")
    var ephemeral = false

    @OptionGroup var store: StoreOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard !(durable && ephemeral) else { throw ValidationError("use --durable or --ephemeral, not both") }
    }

    /// Joins with the vault that is here.
    private func joinAgain(
        _ context: CommandContext, _ password: SecretBytes?, _ home: String
    ) async throws -> CredentialVault {
        do {
            return try await context.openVault().joinAgain(
                url, password: password, name: store.machineName,
                isDurable: durable || ephemeral ? durable : nil, with: context.vaultOpener.stores)
        } catch let error as VaultError {
            var failure = ErrorPresenter.failure(error)
            switch error {
            case .exists, .sharingRefused(.isShared):
                // The new vault has copies of all accounts that are shared. Those of the present one stay in its folder.
                failure.hint = "mv \(home.shellQuoted) \((home + ".old").shellQuoted)"
            default: break
            }
            throw failure
        }
    }

    func run(_ context: CommandContext) async throws -> Document {
        guard durable || ephemeral || !Settings.isOn("CI", in: context.settings.environment) else {
            throw Failure(
                .usage, "durability_not_named",
                "under CI it must be said whether the disk of this machine stays when the job ends",
                hint: "bskyauth vault join --ephemeral \(url.escapedForTerminal.shellQuoted)")
        }
        let password = try store.password(context)
        let stores = context.vaultOpener.rowStoreOpener
        try stores.check(url, password)
        let home = try context.vaultDirectory
        let isHere = try CredentialVault.exists(at: home)
        let vault =
            if isHere {
                try await joinAgain(context, password, home)
            } else {
                try await CredentialVault.join(
                    url, password: password, key: try context.vaultOpener.keyFile(), at: home,
                    as: store.machine(isDurable: !ephemeral), mark: MachineID.current(),
                    with: stores.opener)
            }
        let count = try vault.accounts().count
        return Document([
            "schema": "bskyauth.vault-share/1", "store": .string(url), "accounts": JSONValue(count),
        ]) {
            context.console.say(
                "joined the vault in \(url.escapedForTerminal): \(count) account\(count == 1 ? "" : "s")")
        }
    }
}
