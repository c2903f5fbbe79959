internal import CredentialVault
internal import Cryptography
internal import FoundationEssentials
internal import Platform

/// Opens the vault, or makes it, with the key the user has: the sources in their order, first wins.
struct VaultOpener {
    let options: GlobalOptions
    let settings: Settings
    let console: Console
    /// Whether a vault that is unlocked opens without a key.
    var usesUnlockCache = true

    /// Whether questions may be asked.
    var mayAsk: Bool { !options.noInput && !settings.noInput }

    /// Where a key came from.
    enum Origin {
        case keyFile
        /// `vault unlock`, until then.
        case cache(Date)
        case passphraseFile
        case command
        case environment
    }

    /// - Parameter creates: whether a vault is made where there is none.
    func open(creates: Bool) throws -> CredentialVault {
        let home = try settings.vaultDirectory(flag: options.home)
        if try exists(home) {
            let vault = try openAsking(home)
            warnIfMoved(vault)
            return vault
        }
        guard creates else { throw VaultError.noVault(home: home) }
        return try create(home)
    }

    private func exists(_ home: String) throws -> Bool {
        try CredentialVault.exists(at: home)
    }

    /// Opens a vault that is there with what is at hand, asking nobody.
    ///
    /// A key file first, then the unlock cache, then passphrases, which cost something or start a program.
    ///
    /// - Returns: nil where no key is.
    func openUnasked(_ home: String) throws -> (vault: CredentialVault, origin: Origin)? {
        if let opened = try openAtOnce(home) { return opened }
        guard let given = try given() else { return nil }
        return (try open(home, with: given).vault, given.origin)
    }

    /// The same with what costs nothing and starts nothing: a key file, or the unlock cache.
    func openAtOnce(_ home: String) throws -> (vault: CredentialVault, origin: Origin)? {
        if let given = try given(), given.isKeyFile {
            return (try open(home, with: given).vault, given.origin)
        }
        return try openUnlocked(home).map { ($0.vault, .cache($0.until)) }
    }

    private func openUnlocked(_ home: String) throws -> CredentialVault.Unlocked? {
        guard usesUnlockCache else { return nil }
        do {
            return try CredentialVault.openUnlocked(at: home)
        } catch let error {
            guard case .keyringUnavailable = error else { throw error }
            console.detail(ErrorPresenter.failure(error).message)
            return nil
        }
    }

    /// Locks the vault after a change of its keys: it is not to open by one that is gone.
    func forgetUnlocked(_ home: String) {
        do { _ = try CredentialVault.forgetKey(at: home) } catch let error {
            console.detail(ErrorPresenter.failure(error).message)
        }
    }

    /// Opens a vault that is there with the key that is at hand or typed, for what needs the key itself.
    func openWithItsKey(_ home: String) throws -> (vault: CredentialVault, key: KeySource) {
        guard try exists(home) else { throw VaultError.noVault(home: home) }
        let opened =
            if let given = try given() {
                try open(home, with: given)
            } else {
                try openAsked(home, takesAKey: true)
            }
        warnIfMoved(opened.vault)
        return opened
    }

    /// Tells once of a vault that was used on other machines what that may cost, and remembers this one. Where
    /// nothing may be said it is said by a later command.
    private func warnIfMoved(_ vault: CredentialVault) {
        guard let machine = MachineID.current() else { return }
        do {
            if vault.comes(toAnother: machine) {
                guard !console.isQuiet else { return }
                console.say(
                    "this vault was copied from another machine. If both machines use a session, its server ends it, "
                        + "because a refresh token works only once. Use the vault on one machine, and log in again on the other"
                )
            }
            try vault.remember(machine)
        } catch let error {
            console.detail(ErrorPresenter.failure(error).message)
        }
    }

    private func open(
        _ home: String, with given: Given
    ) throws -> (vault: CredentialVault, key: KeySource) {
        let source = try source(given)
        let vault = try CredentialVault.open(at: home, key: source)
        return (vault, source)
    }

    private func openAsking(_ home: String) throws -> CredentialVault {
        if let opened = try openUnasked(home) { return opened.vault }
        return try openAsked(home, takesAKey: !usesUnlockCache).vault
    }

    /// - Parameter takesAKey: whether unlocking the vault would be of no use.
    private func openAsked(
        _ home: String, takesAKey: Bool
    ) throws -> (vault: CredentialVault, key: KeySource) {
        var locked = ErrorPresenter.failure(VaultError.locked)
        if takesAKey { locked.hint = "name a key: --passphrase-file FILE or --key-file FILE" }
        guard mayAsk, let terminal = Terminal.open() else { throw locked }
        guard try CredentialVault.keyKinds(at: home).contains(.passphrase) else {
            throw VaultError.noSuchSlot
        }
        for attempt in 1...3 {
            let typed = try PassphraseReader.typed(terminal, "Passphrase of the vault: ")
            guard let typed else { break }
            do {
                return (try CredentialVault.open(at: home, key: .passphrase(typed)), .passphrase(typed))
            } catch let error {
                guard error == .wrongPassphrase, attempt < 3 else { throw error }
                console.say("wrong passphrase")
            }
        }
        throw locked
    }

    private func create(_ home: String) throws -> CredentialVault {
        let source: KeySource
        if let given = try given() {
            source = try self.source(given)
        } else {
            source = .passphrase(try chosenPassphrase())
        }
        let vault = try CredentialVault.create(at: home, key: source, machine: MachineID.current())
        console.say("created a vault in \(home.shown)")
        warnOfKeyBeside(source, home)
        return vault
    }

    /// Tells of a key file that whoever copies the vault copies too.
    func warnOfKeyBeside(_ source: KeySource, _ home: String) {
        guard case .keyFile(let path) = source, path.hasPrefix(home + "/") else { return }
        console.say(
            "warning: the key file is inside the vault directory, so a copy of the vault includes its key; move it elsewhere"
        )
    }

    /// A new passphrase, asked for twice.
    private func chosenPassphrase() throws -> SecretBytes {
        guard mayAsk, let terminal = Terminal.open() else {
            throw Failure(
                .vaultLocked, "no_key",
                "there is no vault yet, and there is no terminal to ask for a passphrase",
                hint: "set BSKYAUTH_KEY_FILE or BSKYAUTH_PASSPHRASE_FILE")
        }
        console.say("bskyauth keeps accounts in an encrypted vault; choose a passphrase for it")
        return try PassphraseReader.chosen(terminal)
    }

    /// The key the command line or the environment names; nil where none does.
    private func given() throws -> Given? {
        if let given = try one(of: [
            options.keyFile.map { .keyFile($0) }, options.passphraseFile.map { .passphraseFile($0) },
        ]) {
            return given
        }
        return try one(of: [
            settings.keyFile.map { .keyFile($0) }, settings.passphraseFile.map { .passphraseFile($0) },
            settings.passphraseCommand.map { .command($0) }, settings.passphrase.map { .passphrase($0) },
        ])
    }

    private enum Given {
        case keyFile(String)
        case passphraseFile(String)
        case command(String)
        case passphrase(String)

        var isKeyFile: Bool { if case .keyFile = self { true } else { false } }

        var origin: Origin {
            switch self {
            case .keyFile: .keyFile
            case .passphraseFile: .passphraseFile
            case .command: .command
            case .passphrase: .environment
            }
        }
    }

    /// The key of one level of sources, where two are a contradiction.
    private func one(of level: [Given?]) throws -> Given? {
        let given = level.compactMap { $0 }
        guard given.count <= 1 else {
            throw Failure.usage("use only one key for the vault: --key-file or --passphrase-file")
        }
        return given.first
    }

    private func source(_ given: Given) throws -> KeySource {
        switch given {
        case .keyFile(let path): .keyFile(path: path)
        case .passphraseFile(let path): .passphrase(try PassphraseReader.fromFile(path))
        case .command(let command):
            .passphrase(try PassphraseReader.fromCommand(command, settings.environment))
        case .passphrase(let text):
            .passphrase(try PassphraseReader.checked(Array(text.utf8), "BSKYAUTH_PASSPHRASE"))
        }
    }
}
