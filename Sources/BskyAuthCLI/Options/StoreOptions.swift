internal import ATPCryptography
internal import ATPPlatform
internal import ATProtoVault
internal import ArgumentParser

/// The way of a machine into the store of a shared vault.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file whose first line is the password for the store. The vault keeps the password, encrypted.",
            valueName: "file"),
        completion: .file())
    var storePasswordFile: String?

    @Option(
        help: ArgumentHelp(
            "The name of this machine for people (default: its host name).", valueName: "name"))
    var machineName: String?

    func validate() throws {
        guard let machineName else { return }
        let isPlain = machineName.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard !machineName.isEmpty, machineName.count <= 64, isPlain else {
            throw ValidationError("a machine's name has 1 to 64 characters on one line")
        }
    }

    func password(_ context: CommandContext) throws -> SecretBytes? {
        try storePasswordFile.map { try PassphraseReader.fromFile($0, context.console) }
    }

    func machine(isDurable: Bool, takeover: Duration? = nil) -> SharedMachine {
        SharedMachine(
            name: machineName ?? ThisMachine.name ?? "unnamed", isDurable: isDurable, takeover: takeover)
    }
}
