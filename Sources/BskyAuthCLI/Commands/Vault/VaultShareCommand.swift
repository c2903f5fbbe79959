internal import ATPJSON
internal import ATProtoVault
internal import ArgumentParser

struct VaultShareCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Share the vault with other machines, through a store.",
        discussion: """
            The store is etcd or PostgreSQL. It gets the accounts encrypted, and the machines agree in it on who \
            refreshes a session. Other machines join with `bskyauth vault join` and a key file of this vault. \
            See bskyauth-sharing(7).
            """)

    @Option(
        help: ArgumentHelp(
            "The store: etcd://NODE,NODE,NODE/PREFIX, etcd+http://127.0.0.1/PREFIX or postgres://HOST/DATABASE.",
            valueName: "url"))
    var to: String

    @Option(
        help: ArgumentHelp(
            "Let others go on after this time if a machine has not finished a refresh, for example 24h. By default, they wait "
                + "until it is forgotten. If the machine did refresh, its server may end that session.",
            valueName: "time"))
    var takeoverAfter: TimeLength?

    @OptionGroup var store: StoreOptions

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        if let takeoverAfter, !(600...31_536_000).contains(takeoverAfter.seconds) {
            throw Failure.usage("--takeover-after takes a time from 10m to 365d")
        }
        let password = try store.password(context)
        let stores = context.vaultOpener.rowStoreOpener
        try stores.check(to, password)
        let vault = try context.openVault()
        try await stores.prepare(to, password)
        let progress = context.console.progress
        defer { progress.clear() }
        let shared = try await vault.share(
            through: to, password: password,
            as: store.machine(isDurable: true, takeover: takeoverAfter?.duration), with: stores.opener
        ) { done, count in
            if done < count { progress.show("sharing: \(done) of \(count) accounts") }
        }
        progress.clear()
        let count = try shared.accounts().count
        let options = password == nil ? "" : " --store-password-file FILE"
        return Document([
            "schema": "bskyauth.vault-share/1", "store": .string(to), "accounts": JSONValue(count),
        ]) {
            context.console.say(
                """
                shared \(count) account\(count == 1 ? "" : "s") through \(to.escapedForTerminal)
                  on another machine, with a key file of this vault:
                  bskyauth vault join \(to.escapedForTerminal.shellQuoted) --key-file FILE\(options)
                """)
        }
    }
}
