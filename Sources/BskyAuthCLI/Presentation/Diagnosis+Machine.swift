internal import ATPPlatform
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials

/// The lines of `doctor` about the program, the vault, and the folders, keyring, pin and browser of this machine.
extension Diagnosis {
    static var version: Diagnosis { .ok("version", "bskyauth \(BskyAuthVersion.full)") }

    // MARK: Vault

    /// - Parameter obstacle: what keeps it from being made.
    static func noVault(_ home: String, _ obstacle: SystemError?) -> Diagnosis {
        if let obstacle { return .failed("vault", ErrorPresenter.unwritableVault(obstacle)) }
        return .ok("vault", "there is no vault in \(home.escapedForTerminal) yet; the first login creates it")
    }

    /// - Parameter obstacle: what keeps it from being changed, as a refresh does.
    static func vaultFolder(_ summary: VaultSummary, _ obstacle: SystemError?) -> Diagnosis {
        if let obstacle { return .failed("vault", ErrorPresenter.unwritableVault(obstacle)) }
        return .ok(
            "vault", "\(summary.home.escapedForTerminal) is private, writable, and its header is intact")
    }

    /// - Parameter files: what processes that were killed left of accounts or of the index of names.
    static func leftovers(_ files: [String]) -> Diagnosis {
        .warning(
            "leftovers",
            "a killed command left behind \(files.map(\.escapedForTerminal).joined(separator: ", "))",
            "bskyauth vault restore")
    }

    static func vaultOpens(_ summary: VaultSummary) -> Diagnosis {
        let count = summary.accounts
        return .ok("key", "the key opens the vault, which has \(count) account\(count == 1 ? "" : "s")")
    }

    /// - Parameter members: the machines that share the vault.
    static func store(_ url: String, _ members: [SharedAccounts.Member]) -> Diagnosis {
        guard members.contains(where: \.isThis) else {
            return .warning("store", ErrorPresenter.forgottenHere, ErrorPresenter.joiningAgain(url))
        }
        if members.contains(where: \.needsRepair) {
            return .warning(
                "store", "the store went back, and not every machine has repaired it",
                "on every machine, run: bskyauth vault flush --repair")
        }
        let waited = members.filter { !$0.isThis && !$0.claims.isEmpty }
        if let member = waited.first(where: \.machine.isDurable) {
            let (name, count) = (member.machine.name.escapedForTerminal, member.claims.count)
            return .warning(
                "store", "\(count) account\(count == 1 ? " waits" : "s wait") for the machine \(name)",
                "on \(name), run: bskyauth vault flush")
        }
        let count = members.count
        return .ok(
            "store",
            "\(url.escapedForTerminal) answers; \(count) machine\(count == 1 ? " shares" : "s share") the vault"
        )
    }

    // MARK: Beside the vault

    /// - Parameter obstacle: what keeps it from being written.
    static func cacheFolder(
        _ path: String?, _ error: FileAccessError?, _ obstacle: SystemError?
    ) -> Diagnosis {
        guard let path = path?.escapedForTerminal else {
            return .warning(
                "cache", "HOME is not set, so nothing is cached and commands send more requests",
                "export XDG_CACHE_HOME=/var/cache/bskyauth")
        }
        let look = "ls -ld \(path.shellQuoted)"
        if error == nil || error == .missing, let obstacle {
            return .warning(
                "cache",
                "no file can be created in \(obstacle.path.escapedForTerminal), so nothing is cached: \(obstacle.reason)",
                ErrorPresenter.wayToSee(obstacle))
        }
        return switch error {
        case nil: .ok("cache", "\(path) is private")
        case .missing: .ok("cache", "there is no cache in \(path) yet")
        case .unsafeMode(let mode):
            .warning(
                "cache", "\(path) can be read or written by others (mode \(String(mode, radix: 8)))",
                "chmod go-rwx \(path.shellQuoted)")
        case .foreignOwner: .warning("cache", "\(path) belongs to another user", look)
        case .system(let error): .warning("cache", "\(path) can't be checked: \(error.reason)", look)
        case .symlink, .notDirectory, .notRegular, .tooLarge:
            .warning("cache", "\(path) is not a directory, so nothing is cached", look)
        }
    }

    static func keyring(_ error: SystemError?) -> Diagnosis {
        guard let error else {
            return .ok("keyring", "the kernel keyring works, so vault unlock can be used")
        }
        let failure = ErrorPresenter.failure(VaultError.keyringUnavailable(error))
        return .warning("keyring", failure.message, failure.hint ?? "bskyauth vault add-key --help")
    }

    static func pin(_ pin: AccountPin?) -> Diagnosis {
        .ok(
            "pin",
            pin.map { "\($0.file.escapedForTerminal) chooses account \($0.account.text)" }
                ?? "no pin applies here"
        )
    }

    // MARK: Browser

    static func browser(_ browser: BrowserCommand) -> Diagnosis {
        if browser.isRemote, browser.command == nil {
            return .ok(
                "browser",
                "not opened over SSH: login prints the URL and asks for the URL that the browser ends on")
        }
        let help = "bskyauth login HANDLE --no-browser"
        guard let words = browser.words else {
            return .warning(
                "browser", "no display: login prints the URL for a browser on another machine", help)
        }
        guard let name = words.first else {
            return .warning("browser", "the browser command has an unclosed quote", help)
        }
        guard let path = ExecutableFile.find(name, path: browser.environment["PATH"]) else {
            return .warning("browser", "the browser command \(name.escapedForTerminal) was not found", help)
        }
        return .ok("browser", "\(path.escapedForTerminal) opens the sign-in page")
    }
}
