/// A place where the key of the vault can come from.
enum VaultKeySource: Equatable {
    /// The path of a key file.
    case keyFile(String)
    /// The key that `vault unlock` left with the kernel.
    case unlockCache
    /// The secret that `vault remember` left with the desktop keyring.
    case desktopKeyring
    /// The path of a file whose first line is the passphrase.
    case passphraseFile(String)
    /// The value of `BSKYAUTH_PASSPHRASE_COMMAND`.
    case passphraseCommand(String)
    /// The value of `BSKYAUTH_PASSPHRASE`.
    case passphraseVariable(String)
    /// The user types the passphrase.
    case terminal

    /// Whether the source is fast. The others cost a second of work, a program or a question.
    var isImmediate: Bool {
        switch self {
        case .keyFile, .unlockCache: true
        case .desktopKeyring, .passphraseFile, .passphraseCommand, .passphraseVariable, .terminal: false
        }
    }
}

/// Decides which source opens the vault. It reads no file, starts no program and asks no question: ``VaultOpener``
/// does that.
struct VaultKeyPolicy {
    /// A source with the name of the option or variable that names it.
    private typealias Named = (name: String, source: VaultKeySource)

    private let commandLine: [Named]
    private let environment: [Named]
    private let usesStoredKey: Bool
    private let mayAskKeyring: Bool

    init(_ options: GlobalOptions, _ settings: Settings, usesStoredKey: Bool) {
        commandLine = [
            options.keyFile.map { ("--key-file", .keyFile($0)) },
            options.passphraseFile.map { ("--passphrase-file", .passphraseFile($0)) },
        ].compactMap { $0 }
        environment = [
            settings.keyFile.map { ("BSKYAUTH_KEY_FILE", .keyFile($0)) },
            settings.passphraseFile.map { ("BSKYAUTH_PASSPHRASE_FILE", .passphraseFile($0)) },
            settings.passphraseCommand.map { ("BSKYAUTH_PASSPHRASE_COMMAND", .passphraseCommand($0)) },
            settings.passphrase.map { ("BSKYAUTH_PASSPHRASE", .passphraseVariable($0)) },
        ].compactMap { $0 }
        self.usesStoredKey = usesStoredKey
        // The keyring may ask the user for its own password.
        mayAskKeyring = !options.noInput && !settings.noInput && settings.hasSessionBus
    }

    /// The sources to try, in this order. The first one that has a key is used.
    ///
    /// A key file comes before the unlock cache, and the unlock cache before a passphrase. The desktop keyring and the user
    /// are asked only if no source is named.
    func order() throws -> [VaultKeySource] {
        let named = try named()
        if let named, named.isImmediate { return [named] }
        let cache: [VaultKeySource] = usesStoredKey ? [.unlockCache] : []
        if let named { return cache + [named] }
        return cache + (usesStoredKey && mayAskKeyring ? [.desktopKeyring] : []) + [.terminal]
    }

    /// The source that the user named; nil without one. The command line comes before the environment.
    ///
    /// - Throws: a usage error if either of them names two, because neither is ignored for the other.
    func named() throws -> VaultKeySource? {
        try Self.only(commandLine) ?? Self.only(environment)
    }

    private static func only(_ sources: [Named]) throws -> VaultKeySource? {
        guard sources.count <= 1 else {
            let names = sources.map(\.name).joined(separator: " or ")
            throw Failure.usage("use only one key for the vault: \(names)")
        }
        return sources.first?.source
    }
}
