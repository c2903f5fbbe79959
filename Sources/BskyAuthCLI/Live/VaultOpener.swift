internal import ATPCryptography
internal import ATPPlatform
internal import ATProtoVault
internal import FoundationEssentials

/// Opens or creates the vault. ``VaultKeyPolicy`` decides which key it takes.
struct VaultOpener {
    let options: GlobalOptions
    let settings: Settings
    let console: Console
    /// Whether a stored key may open the vault: that of `vault unlock` or of `vault remember`.
    var usesStoredKey = true

    /// Whether questions may be asked.
    var mayAsk: Bool { settings.mayAsk(options) }

    /// What opened the vault.
    enum Origin: Equatable {
        case source(VaultKeySource)
        /// `vault unlock`, until this time.
        case unlockCache(Date)
    }

    /// The way to the stores of shared vaults.
    var rowStoreOpener: RowStoreOpener { RowStoreOpener(environment: settings.environment, console: console) }

    var stores: StoreOpener { rowStoreOpener.opener }

    var keyring: DesktopKeyring { DesktopKeyring(environment: settings.environment) }

    private var policy: VaultKeyPolicy {
        VaultKeyPolicy(options, settings, usesStoredKey: usesStoredKey)
    }

    /// - Parameter creates: whether a missing vault is created.
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

    /// Opens a vault that exists and needs no question. Nil means that ``open(creates:)`` asks a question or makes the vault: what can
    /// fail is better tried before.
    ///
    /// - Throws: if no source has a key and no question can be asked.
    func openUnasked() throws -> CredentialVault? {
        let home = try settings.vaultDirectory(flag: options.home)
        guard try exists(home) else {
            return try policy.named() != nil || canAsk ? nil : try create(home)
        }
        guard let opened = try openUnasked(home) else {
            return canAsk ? nil : try openAsked(home, takesAKey: !usesStoredKey).vault
        }
        warnIfMoved(opened.vault)
        return opened.vault
    }

    private var canAsk: Bool { mayAsk && Terminal.open() != nil }

    private func exists(_ home: String) throws -> Bool {
        try CredentialVault.exists(at: home)
    }

    /// Opens an existing vault without asking a question.
    ///
    /// - Returns: nil if no source has a key.
    func openUnasked(_ home: String) throws -> (vault: CredentialVault, origin: Origin)? {
        try open(home, with: policy.order())
    }

    /// Opens an existing vault with a key file or the unlock cache. Both are fast and start no program.
    func openAtOnce(_ home: String) throws -> (vault: CredentialVault, origin: Origin)? {
        try open(home, with: policy.order().filter(\.isImmediate))
    }

    private func open(
        _ home: String, with sources: [VaultKeySource]
    ) throws -> (vault: CredentialVault, origin: Origin)? {
        for source in sources {
            switch source {
            case .unlockCache:
                if let opened = try openUnlocked(home) { return (opened.vault, .unlockCache(opened.until)) }
            case .desktopKeyring:
                if let vault = try openRemembered(home) { return (vault, .source(source)) }
            default:
                guard let key = try key(from: source) else { continue }
                return (try open(home, key), .source(source))
            }
        }
        return nil
    }

    /// Opens an existing vault with a key that the user gave.
    private func open(_ home: String, _ key: KeySource) throws -> CredentialVault {
        do { return try CredentialVault.open(at: home, key: key, stores: stores) } catch {
            guard case .wrongKeyFile = error, try CredentialVault.isShared(at: home) else { throw error }
            // A key file of another machine opens the vault here after the next look into the store, which needs a key.
            var failure = ErrorPresenter.failure(error)
            failure.hint =
                "take over the new key with the key file that opens the vault here:  bskyauth vault flush --key-file EARLIER"
            throw failure
        }
    }

    /// The desktop keyring is asked only if the vault has a key slot for it. A wrong secret is as none.
    private func openRemembered(_ home: String) throws -> CredentialVault? {
        guard let id = try CredentialVault.rememberedID(at: home) else { return nil }
        guard let secret = keyring.secret(of: id) else {
            console.detail("the desktop keyring gave no key for this vault")
            return nil
        }
        if let vault = try CredentialVault.openRemembered(at: home, secret: secret, stores: stores) {
            return vault
        }
        console.detail("the key in the desktop keyring does not open this vault")
        return nil
    }

    private func openUnlocked(_ home: String) throws -> CredentialVault.Unlocked? {
        do {
            return try CredentialVault.openUnlocked(at: home, stores: stores)
        } catch let error {
            guard case .keyringUnavailable = error else { throw error }
            console.detail(ErrorPresenter.failure(error).message)
            return nil
        }
    }

    /// Removes the vault key from the unlock cache after a change of the keys, so that a removed key stops working.
    func forgetUnlocked(_ home: String) {
        do {
            guard try CredentialVault.forgetKey(at: home) else { return }
            console.say("this ended vault unlock; to unlock the vault again: bskyauth vault unlock")
        } catch let error {
            console.detail(ErrorPresenter.failure(error).message)
        }
    }

    /// Says that the desktop keyring opens the vault, after a command that a user may expect to change this.
    func sayIfRemembered(_ home: String) throws {
        guard try CredentialVault.rememberedID(at: home) != nil else { return }
        console.say("the desktop keyring still opens the vault; to end this: bskyauth vault forget")
    }

    /// Opens an existing vault with a given or typed key, for commands that need the key itself.
    func openWithItsKey(_ home: String) throws -> (vault: CredentialVault, key: KeySource) {
        guard try exists(home) else { throw VaultError.noVault(home: home) }
        let opened =
            if let key = try namedKey() {
                (try open(home, key), key)
            } else {
                try openAsked(home, takesAKey: true)
            }
        warnIfMoved(opened.0)
        return opened
    }

    /// Warns once if the vault was used on other machines, and remembers this machine. With `--quiet`, a later command
    /// warns.
    private func warnIfMoved(_ vault: CredentialVault) {
        // The machines of a shared vault know of each other.
        guard !vault.isShared, let machine = MachineID.current() else { return }
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

    private func openAsking(_ home: String) throws -> CredentialVault {
        if let opened = try openUnasked(home) { return opened.vault }
        return try openAsked(home, takesAKey: !usesStoredKey).vault
    }

    /// - Parameter takesAKey: whether the command needs the key itself, so that unlocking the vault would not help.
    private func openAsked(
        _ home: String, takesAKey: Bool
    ) throws -> (vault: CredentialVault, key: KeySource) {
        let end = takesAKey ? nil : try CredentialVault.unlockEnd(at: home)
        var locked = ErrorPresenter.failure(end.map { VaultError.unlockEnded($0) } ?? .locked)
        if takesAKey { locked.hint = "name a key: --passphrase-file FILE or --key-file FILE" }
        guard mayAsk, let terminal = Terminal.open() else { throw locked }
        guard try CredentialVault.keyKinds(at: home).contains(.passphrase) else {
            throw VaultError.noSuchSlot
        }
        if end != nil { console.say("\(locked.message); to unlock it again: bskyauth vault unlock") }
        for attempt in 1...3 {
            let typed = try PassphraseReader.typed(terminal, "Passphrase of the vault: ")
            guard let typed else { break }
            do {
                let vault = try CredentialVault.open(at: home, key: .passphrase(typed), stores: stores)
                if !takesAKey { sayHowToUnlock(vault) }
                return (vault, .passphrase(typed))
            } catch let error {
                guard error == .wrongPassphrase else { throw error }
                guard attempt < 3 else {
                    var failure = ErrorPresenter.failure(error)
                    failure.hint = "run the same command again, and type the passphrase of this vault"
                    throw failure
                }
                console.say("wrong passphrase")
            }
        }
        throw locked
    }

    /// Tells a person who types the passphrase again and again that the vault can stay open, once until the machine stops.
    private func sayHowToUnlock(_ vault: CredentialVault) {
        guard StandardStream.error.isTerminal, !console.isQuiet, vault.countTypedPassphrase() else { return }
        console.say("to type the passphrase once for a working day: bskyauth vault unlock --ttl 8h")
    }

    private func create(_ home: String) throws -> CredentialVault {
        let source = try namedKey() ?? .passphrase(try chosenPassphrase())
        if case .passphrase(let passphrase) = source { try PassphraseReader.requireLength(passphrase) }
        let newKey = try newKeyFile(source)
        let vault = try CredentialVault.create(at: home, key: source, machine: MachineID.current())
        console.say("created a vault in \(home.escapedForTerminal)")
        if let newKey {
            console.say(
                "created its key file \(newKey.escapedForTerminal); without it, nothing opens the vault")
        }
        warnOfKeyBeside(source, home)
        return vault
    }

    /// The path of a key file that does not exist yet.
    private func newKeyFile(_ source: KeySource) throws -> String? {
        guard case .keyFile(let path) = source else { return nil }
        do { return try FileSystem.exists(path) ? nil : path } catch let error {
            // Making the vault says what is wrong with it.
            console.detail("\(path.escapedForTerminal): \(error.reason)")
            return nil
        }
    }

    /// Warns if the key file is inside the vault, because a copy of the vault would include it.
    func warnOfKeyBeside(_ source: KeySource, _ home: String) {
        guard case .keyFile(let path) = source, path.hasPrefix(home + "/") else { return }
        console.say(
            "warning: the key file is inside the vault directory, so a copy of the vault includes its key; move it elsewhere"
        )
    }

    /// Asks twice for a new passphrase.
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

    /// The key file that the command line or the environment names.
    func keyFile() throws -> KeySource {
        guard case .keyFile(let path) = try policy.named() else {
            throw Failure(
                .vaultLocked, "no_key_file",
                "a key file of the shared vault is needed; a passphrase can't open it on another machine",
                hint: "name the key file: --key-file FILE")
        }
        return .keyFile(path: path)
    }

    /// The key that the command line or the environment names; nil without one.
    private func namedKey() throws -> KeySource? {
        try policy.named().flatMap { try key(from: $0) }
    }

    /// Reads the key of a source that the user named; nil for the others.
    private func key(from source: VaultKeySource) throws -> KeySource? {
        switch source {
        case .unlockCache, .desktopKeyring, .terminal: nil
        case .keyFile(let path): .keyFile(path: path)
        case .passphraseFile(let path): .passphrase(try PassphraseReader.fromFile(path, console))
        case .passphraseCommand(let command):
            .passphrase(try PassphraseReader.fromCommand(command, settings.environment))
        case .passphraseVariable(let text):
            .passphrase(try PassphraseReader.checked(Array(text.utf8), "BSKYAUTH_PASSPHRASE"))
        }
    }
}
