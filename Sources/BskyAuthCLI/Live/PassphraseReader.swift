internal import Cryptography
internal import Platform

/// Reads a passphrase from a file, a command or the terminal.
enum PassphraseReader {
    /// The first line of a file. The file may be a pipe or /dev/stdin.
    static func fromFile(_ path: String) throws -> SecretBytes {
        let bytes: [UInt8]
        do {
            bytes = try InputFile.read(path, limit: 65536)
        } catch let error {
            throw Failure(
                .vaultLocked, "passphrase_unreadable",
                "the passphrase file \(path.escapedForTerminal) can't be read: \(error.reason)",
                hint: "ls -l \(path.escapedForTerminal.shellQuoted)")
        }
        return try checked(bytes, path)
    }

    /// The output of a command, such as a password manager.
    static func fromCommand(_ command: String, _ environment: [String: String]) throws -> SecretBytes {
        guard let words = ShellWords.split(command) else {
            throw Failure.usage(
                "BSKYAUTH_PASSPHRASE_COMMAND is not a valid command: it is empty or has an unclosed quote")
        }
        let output: [UInt8]?
        do {
            output = try ChildProcess.output(of: words, environment: environment, limit: 65536)
        } catch let error {
            throw Failure(
                .vaultLocked, "passphrase_command",
                "\(words[0].escapedForTerminal) can't be started: \(error.reason)",
                hint: "look at BSKYAUTH_PASSPHRASE_COMMAND")
        }
        guard let output else {
            throw Failure(
                .vaultLocked, "passphrase_command",
                "\(words[0].escapedForTerminal) failed and printed no passphrase",
                hint: "look at BSKYAUTH_PASSPHRASE_COMMAND")
        }
        return try checked(output, words[0])
    }

    /// The first line, which must not be empty.
    static func checked(_ bytes: consuming [UInt8], _ source: String) throws -> SecretBytes {
        let length = bytes.firstIndex { $0 == 0x0a || $0 == 0x0d } ?? bytes.count
        let line = SecretBytes(clearing: bytes, prefix: length)
        guard length > 0 else {
            throw Failure(
                .vaultLocked, "empty_passphrase",
                "\(source.escapedForTerminal) contains no passphrase: its first line is empty",
                hint: "write a passphrase to its first line")
        }
        return line
    }

    // MARK: At the terminal

    /// Asks for a passphrase that is not shown; nil for none.
    static func typed(_ terminal: Terminal, _ question: String) throws -> SecretBytes? {
        do {
            guard let bytes = try terminal.askSilently(question), !bytes.isEmpty else { return nil }
            return SecretBytes(clearing: bytes)
        } catch let error {
            throw Failure.terminal(error)
        }
    }

    /// Asks for a new passphrase, twice.
    static func chosen(
        _ terminal: Terminal, _ question: String = "New passphrase: "
    ) throws -> SecretBytes {
        guard let first = try typed(terminal, question) else {
            throw Failure(
                .vaultLocked, "empty_passphrase", "the passphrase is empty",
                hint: "run the command again")
        }
        guard try typed(terminal, "Repeat the passphrase: ") == first else {
            throw Failure(
                .vaultLocked, "passphrase_mismatch", "the two passphrases are different; nothing was changed",
                hint: "run the command again")
        }
        return first
    }
}
