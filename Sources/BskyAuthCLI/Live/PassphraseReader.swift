internal import Cryptography
internal import Platform

/// Reads a passphrase from where the user keeps it.
enum PassphraseReader {
    /// The first line of a file. Any file will do, a pipe or /dev/stdin among them.
    static func fromFile(_ path: String) throws(Failure) -> SecretBytes {
        let bytes: [UInt8]
        do {
            bytes = try InputFile.read(path, limit: 65536)
        } catch {
            throw Failure(
                .vaultLocked, "passphrase_unreadable",
                "the passphrase file \(path.shown) can't be read: \(error.reason)",
                hint: "ls -l \(path.shown.shellQuoted)")
        }
        return try checked(bytes, path)
    }

    /// What a command prints, as a password manager does.
    static func fromCommand(_ command: String, _ environment: [String: String]) throws(Failure) -> SecretBytes
    {
        guard let words = ShellWords.split(command) else {
            throw .usage("BSKYAUTH_PASSPHRASE_COMMAND is no command: a quote is left open")
        }
        let output: [UInt8]?
        do {
            output = try ChildProcess.output(of: words, environment: environment, limit: 65536)
        } catch {
            throw Failure(
                .vaultLocked, "passphrase_command", "\(words[0].shown) can't be started: \(error.reason)",
                hint: "look at BSKYAUTH_PASSPHRASE_COMMAND")
        }
        guard let output else {
            throw Failure(
                .vaultLocked, "passphrase_command", "\(words[0].shown) failed, and gave no passphrase",
                hint: "look at BSKYAUTH_PASSPHRASE_COMMAND")
        }
        return try checked(output, words[0])
    }

    /// The first line, which must not be empty.
    static func checked(_ bytes: [UInt8], _ source: String) throws(Failure) -> SecretBytes {
        let line = bytes.prefix { $0 != 0x0a && $0 != 0x0d }
        guard !line.isEmpty else {
            throw Failure(
                .vaultLocked, "empty_passphrase",
                "\(source.shown) holds no passphrase: its first line is empty",
                hint: "put a passphrase there")
        }
        return SecretBytes(line)
    }
}
