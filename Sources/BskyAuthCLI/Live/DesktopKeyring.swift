internal import ATPCryptography
internal import ATPPlatform
internal import ATProtoSessions
internal import ATProtoVault
internal import FoundationEssentials

/// The keyring of the desktop session, by the program `secret-tool` (Secret Service). It keeps one secret for each vault.
struct DesktopKeyring {
    /// The environment of child processes, without the variables that hold a passphrase.
    let environment: [String: String]

    /// How long a command waits for the keyring before it goes on without it.
    private static let timeLimit = Duration.seconds(5)

    /// How long storing waits. The desktop may ask for the password of the keyring.
    private static let timeLimitForStoring = Duration.seconds(120)

    /// The characters of 32 bytes in Base64URL.
    private static let longestSecret = 43

    /// The secret of a vault; nil if the keyring has none or does not answer.
    func secret(of vault: UUID) -> SecretBytes? { secret(of: vault, within: Self.timeLimit) }

    private func secret(of vault: UUID, within limit: Duration) -> SecretBytes? {
        guard var text = output("lookup", vault, within: limit) else { return nil }
        defer { SecretBytes.clear(&text) }
        // Some keyrings end the secret with a line break.
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        return Base64URL.decode(characters: text).map { SecretBytes(clearing: $0) }
    }

    /// Removes the secret of a vault.
    ///
    /// - Returns: false if the keyring has none or does not answer.
    func removeSecret(of vault: UUID) -> Bool { output("clear", vault, within: Self.timeLimit) != nil }

    private func output(_ verb: String, _ vault: UUID, within limit: Duration) -> [UInt8]? {
        try? ChildProcess.output(
            of: ["secret-tool", verb] + Self.attributes(of: vault), environment: environment,
            limit: Self.longestSecret + 1, within: limit)
    }

    /// Stores the secret of a vault, in place of an earlier one, and reads it again.
    func store(_ secret: SecretBytes, of vault: UUID, _ console: Console) async throws {
        guard Settings.value(Settings.sessionBus, in: environment) != nil else {
            throw Self.failure(
                "no_session_bus", "\(Settings.sessionBus) is not set, so there is no desktop keyring")
        }
        var bytes = secret.bytes
        defer { SecretBytes.clear(&bytes) }
        var text = Base64URL.characters(of: bytes)
        defer { SecretBytes.clear(&text) }
        let ending: ChildProcess.Ending
        console.say(
            "waiting for the keyring of your desktop session, at most \(TimeText.exact(Double(Self.timeLimitForStoring.components.seconds))); "
                + "it may ask for its password")
        do {
            ending = try await ChildProcess.run(
                ["secret-tool", "store", "--label=bskyauth"] + Self.attributes(of: vault),
                environment: environment, mark: "BSKYAUTH_KEYRING_RUN", input: text,
                timeout: Self.timeLimitForStoring, unless: { false })
        } catch let error {
            throw error.isMissing
                ? Self.failure(
                    "no_secret_tool", "secret-tool is not installed (Debian package libsecret-tools)")
                : Self.failure("no_secret_tool", "secret-tool can't be started: \(error.reason)")
        }
        guard ending == .exited(0) else {
            throw Self.failure(
                "keyring_failed",
                ending == .timedOut
                    ? "the desktop keyring did not answer in time; nothing was changed"
                    : "the desktop keyring did not store the key; nothing was changed")
        }
        // A collection that forgets, or a stand-in for the keyring, would leave a key slot that nothing opens.
        guard self.secret(of: vault, within: Self.timeLimitForStoring) == secret else {
            _ = removeSecret(of: vault)
            throw Self.failure(
                "keyring_failed",
                "the desktop keyring took the key, but did not give it back; the vault was not changed, and an earlier key in the "
                    + "keyring is gone")
        }
    }

    private static func attributes(of vault: UUID) -> [String] {
        ["application", "bskyauth", "vault", vault.text]
    }

    private static func failure(_ code: String, _ message: String) -> Failure {
        Failure(
            .failure, code, message,
            hint:
                "use a password manager instead, for example: export BSKYAUTH_PASSPHRASE_COMMAND='pass show bskyauth'"
        )
    }
}
