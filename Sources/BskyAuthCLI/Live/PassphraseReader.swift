internal import ATPCryptography
internal import ATPPlatform

/// Reads a passphrase from a file, a command or the terminal.
enum PassphraseReader {
    /// The first line of a file or a descriptor. Warns if others can read it.
    ///
    /// - Parameter isNew: whether it is a new passphrase. A second line may then be meant as its repetition, or as another input.
    static func fromFile(_ path: String, _ console: Console, isNew: Bool = false) throws -> SecretBytes {
        console.warnIfReadableByOthers(path, "the passphrase file")
        let bytes: [UInt8]
        do {
            bytes = try InputFile.read(path, limit: 65536, isLine: true)
        } catch let error {
            throw Failure.unreadable(
                path, error, what: "passphrase file", as: .vaultLocked, code: "passphrase_unreadable",
                hint: InputFile.isDescriptor(path)
                    ? "name a file: --passphrase-file FILE" : "ls -l \(path.escapedForTerminal.shellQuoted)")
        }
        if isNew, InputFile.isDescriptor(path),
            bytes.firstIndex(of: 0x0a).map({ $0 + 1 < bytes.count }) == true
        {
            let name = InputFile.name(of: path).escapedForTerminal
            console.say(
                "only the first line of \(name) was read: it is the new passphrase, and is not repeated")
        }
        return try checked(bytes, InputFile.name(of: path))
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

    /// Asks for a new passphrase until it is good and repeated, three times at most.
    ///
    /// - Parameter name: the words for the passphrase in the question.
    static func chosen(_ terminal: Terminal, _ name: String = "New passphrase") throws -> SecretBytes {
        var question = "\(name) (at least \(leastLength) characters): "
        var attemptsLeft = 3
        while true {
            attemptsLeft -= 1
            do {
                return try chosenOnce(terminal, question)
            } catch let failure as Failure where failure.isCorrectable && attemptsLeft > 0 {
                question = "\(failure.message)\n\(name): "
            }
        }
    }

    private static func chosenOnce(_ terminal: Terminal, _ question: String) throws -> SecretBytes {
        guard let first = try typed(terminal, question) else {
            throw Failure(
                .vaultLocked, "empty_passphrase", "the passphrase is empty", hint: "run the command again")
        }
        try requireLength(first)
        guard try typed(terminal, "Repeat the passphrase: ") == first else {
            throw Failure(
                .vaultLocked, mismatch, "the two passphrases are different; nothing was changed",
                hint: "run the command again")
        }
        return first
    }

    // MARK: New passphrases

    /// The least length of a new passphrase, in characters.
    private static let leastLength = 8

    fileprivate static let (tooShort, mismatch) = ("short_passphrase", "passphrase_mismatch")

    /// Refuses a new passphrase that is too short. An existing one may have any length.
    static func requireLength(_ passphrase: SecretBytes) throws {
        guard passphrase.countOfCharacters < leastLength else { return }
        throw Failure(
            .vaultLocked, tooShort,
            "a new passphrase needs at least \(leastLength) characters, because short ones can be guessed",
            hint: "choose a longer one, for example several words")
    }
}

extension Console {
    /// - Parameter what: what the file is, for a file with a secret that is read all the same.
    func warnIfReadableByOthers(_ path: String, _ what: String) {
        guard InputFile.isReadableByOthers(path) else { return }
        say(
            "warning: other users can read \(what) \(path.escapedForTerminal); to change that: "
                + "chmod 600 \(path.escapedForTerminal.shellQuoted)")
    }
}

extension Failure {
    /// Whether another answer can help.
    fileprivate var isCorrectable: Bool {
        [PassphraseReader.tooShort, PassphraseReader.mismatch].contains(code)
    }
}

extension SecretBytes {
    /// The number of Unicode characters of UTF-8: the bytes that don't continue another.
    fileprivate var countOfCharacters: Int {
        var bytes = bytes
        defer { SecretBytes.clear(&bytes) }
        return bytes.count { $0 & 0xc0 != 0x80 }
    }
}
