internal import ATPCryptography
internal import ATPPlatform
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore

/// The completions from a vault.
///
/// The accounts are offered if a key file is named or the vault is unlocked. Completion never asks a question, tries a
/// passphrase, starts a program, writes a file or prints a message.
struct VaultCompletion {
    /// The command line from the shell, with its quotes.
    let words: [String]
    let environment: [String: String]

    /// A unique name for each account.
    var accounts: [String] {
        offered { options, settings in try readableAccounts(options, settings).completions }
    }

    /// The names of the vault's keys. Reading them needs no key.
    var keys: [String] {
        offered { options, settings in
            try CredentialVault.summary(at: settings.vaultDirectory(flag: options.home)).slots.map(\.name)
                // bash expands what it is offered.
                .filter(AccountLabel.isValid)
        }
    }

    private func offered(_ names: (GlobalOptions, Settings) throws -> [String]) -> [String] {
        // Ignore the error here. The command reports it when it is run.
        guard (try? OpenSSL.start()) != nil else { return [] }
        return (try? names(try options(), Settings(environment: environment))) ?? []
    }

    private func readableAccounts(_ options: GlobalOptions, _ settings: Settings) throws -> [Account] {
        let console = Console(isQuiet: true, isVerbose: false, usesJSON: false)
        let opener = VaultOpener(options: options, settings: settings, console: console)
        let opened = try opener.openAtOnce(try settings.vaultDirectory(flag: options.home))
        return try opened.map { try VaultAccounts($0.vault, log: console.log).readableAccounts() } ?? []
    }

    /// The options of the command line that select and open the vault.
    private func options() throws -> GlobalOptions {
        try GlobalOptions.parse(
            (["--home"] + GlobalOptions.keyOptions.map(\.name)).compactMap { name in
                value(of: name).map { "\(name)=\($0)" }
            })
    }

    private func value(of option: String) -> String? {
        guard let index = words.lastIndex(where: { $0 == option || $0.hasPrefix(option + "=") }) else {
            return nil
        }
        if words[index] != option { return unquoted(String(words[index].dropFirst(option.count + 1))) }
        // bash makes a word of the = in --home=DIR.
        guard let value = words[(index + 1)...].first(where: { $0 != "=" }) else { return nil }
        guard value.hasPrefix("~/"), let home = environment["HOME"] else { return unquoted(value) }
        return home + unquoted(String(value.dropFirst()))
    }

    /// The word without its quotes. fish gives it without, and then it may have several words in it.
    private func unquoted(_ word: String) -> String {
        guard let split = ShellWords.split(word), split.count == 1 else { return word }
        return split[0]
    }
}

extension [Account] {
    /// What a shell may offer: labels and handles, or the UUID of an account that shares both with others.
    var completions: [String] {
        var owners: [String: Int] = [:]
        for name in flatMap({ Set($0.names.map { $0.lowercased() }) }) { owners[name, default: 0] += 1 }
        return flatMap { account in
            // bash expands what it is offered: a bundle may have brought a label that is none here.
            let label = account.label.flatMap { AccountLabel.isValid($0) ? $0 : nil }
            let own = [label, account.handle?.description].compactMap(\.self)
                .filter { owners[$0.lowercased()] == 1 }
            return own.isEmpty ? [account.id.text] : own
        }
    }
}
