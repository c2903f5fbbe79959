internal import ATPPlatform

/// The environment variables except those of the network (``NetworkSettings``), read once. No variable holds a token,
/// and no `.env` file is read.
struct Settings: Sendable {
    /// The environment of child processes, without the variables that hold a passphrase.
    let environment: [String: String]
    let account: String?
    let home: String?
    let passphraseFile: String?
    let passphraseCommand: String?
    let passphrase: String?
    let keyFile: String?
    let afterRotation: String?
    let recipientKey: String?
    let bundlePassphraseFile: String?
    let browser: String?
    let scope: String?
    let clientID: String?
    let lockTimeout: String?
    /// Whether this process refreshes sessions itself, without a keeper (`BSKYAUTH_NO_KEEPER`).
    let refreshesHere: Bool
    /// Empty for none.
    let pager: String?
    /// Whether questions are forbidden by `BSKYAUTH_NO_INPUT` or `CI`.
    let noInput: Bool

    /// Whether there is a desktop session, which may have a keyring.
    let hasSessionBus: Bool

    /// The variable with the address of the desktop session's message bus.
    static let sessionBus = "DBUS_SESSION_BUS_ADDRESS"

    /// The passphrase. It is removed from the environment before any child process starts.
    static let secretVariables = ["BSKYAUTH_PASSPHRASE"]

    /// The variables that open a vault or a bundle, or lead to what does. Programs of the user's that only act as an
    /// account don't get them.
    static let unlockingVariables =
        secretVariables + [
            "BSKYAUTH_PASSPHRASE_FILE", "BSKYAUTH_PASSPHRASE_COMMAND", "BSKYAUTH_KEY_FILE",
            "BSKYAUTH_BUNDLE_PASSPHRASE_FILE", "BSKYAUTH_RECIPIENT_KEY", "BSKYAUTH_AFTER_ROTATION",
        ]

    init(environment: [String: String]) {
        func value(_ name: String) -> String? { Self.value(name, in: environment) }
        func isOn(_ name: String) -> Bool { Self.isOn(name, in: environment) }
        var shown = environment
        for name in Self.secretVariables { shown[name] = nil }
        self.environment = shown
        account = value("BSKYAUTH_ACCOUNT")
        home = value("BSKYAUTH_HOME")
        passphraseFile = value("BSKYAUTH_PASSPHRASE_FILE")
        passphraseCommand = value("BSKYAUTH_PASSPHRASE_COMMAND")
        passphrase = value("BSKYAUTH_PASSPHRASE")
        keyFile = value("BSKYAUTH_KEY_FILE")
        afterRotation = value("BSKYAUTH_AFTER_ROTATION")
        recipientKey = value("BSKYAUTH_RECIPIENT_KEY")
        bundlePassphraseFile = value("BSKYAUTH_BUNDLE_PASSPHRASE_FILE")
        browser = value("BSKYAUTH_BROWSER") ?? value("BROWSER")
        scope = value("BSKYAUTH_SCOPE")
        clientID = value("BSKYAUTH_CLIENT_ID")
        lockTimeout = value("BSKYAUTH_LOCK_TIMEOUT")
        hasSessionBus = value(Self.sessionBus) != nil
        refreshesHere = isOn("BSKYAUTH_NO_KEEPER")
        pager = environment["BSKYAUTH_PAGER"] ?? environment["PAGER"]
        noInput = isOn("BSKYAUTH_NO_INPUT") || isOn("CI")
    }

    /// A variable; nil when it is not set or empty.
    static func value(_ name: String, in environment: [String: String]) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    static func isOn(_ name: String, in environment: [String: String]) -> Bool {
        value(name, in: environment).map { !["0", "false", "no"].contains($0.lowercased()) } ?? false
    }

    /// Whether questions may be asked.
    func mayAsk(_ options: GlobalOptions) -> Bool { !options.noInput && !noInput }

    /// Whether a terminal can be written to elsewhere than at its end.
    var terminalMoves: Bool { !["", "dumb"].contains(environment["TERM"] ?? "") }

    /// The length of time in a variable; nil if it is not set.
    static func timeLength(_ name: String, _ text: String?) throws -> TimeLength? {
        guard let text else { return nil }
        guard let length = TimeLength(argument: text) else {
            throw Failure.usage("\(name) is \"\(text.escapedForTerminal)\", which is not a time such as 10s")
        }
        return length
    }

    /// The directory of the vault: `--home`, `BSKYAUTH_HOME`, or the XDG place for data.
    func vaultDirectory(flag: String?) throws -> String {
        if flag == "" { throw Failure.usage("--home is empty") }
        if let home = flag ?? home { return PrivateDirectory.linked(home) }
        guard let data = directory("XDG_DATA_HOME", ".local/share") else {
            throw Failure(
                .usage, "no_home", "HOME is not set, so bskyauth does not know where the vault is",
                hint: "bskyauth --home DIR …")
        }
        return PrivateDirectory.linked(data + "/bskyauth")
    }

    /// The directory of caches; nil without one. Caches hold no secrets and can be deleted.
    var cacheDirectory: String? {
        directory("XDG_CACHE_HOME", ".cache").map { $0 + "/bskyauth" }
    }

    /// The directory for what is remembered and no secret; nil if there is no place for it.
    var stateDirectory: String? {
        directory("XDG_STATE_HOME", ".local/state").map { $0 + "/bskyauth" }
    }

    /// An XDG directory; relative ones are ignored, as the specification demands.
    private func directory(_ variable: String, _ fallback: String) -> String? {
        if let path = environment[variable], path.hasPrefix("/") { return path }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/\(fallback)"
    }
}
