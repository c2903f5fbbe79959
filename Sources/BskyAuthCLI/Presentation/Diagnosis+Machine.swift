internal import BskyAuthCore
internal import CredentialVault
internal import FoundationEssentials
internal import Platform

/// What is said about this machine.
extension Diagnosis {
    static var version: Diagnosis { .ok("version", "bskyauth \(BskyAuthVersion.full)") }

    // MARK: Vault

    /// - Parameter obstacle: what keeps it from being made.
    static func noVault(_ home: String, _ obstacle: SystemError?) -> Diagnosis {
        if let obstacle { return .failed("vault", ErrorPresenter.unwritableVault(obstacle)) }
        return .ok("vault", "there is none in \(home.shown) yet; the first login makes it")
    }

    /// - Parameter obstacle: what keeps it from being changed, as a refresh does.
    static func vaultFolder(_ summary: VaultSummary, _ obstacle: SystemError?) -> Diagnosis {
        if let obstacle { return .failed("vault", ErrorPresenter.unwritableVault(obstacle)) }
        return .ok("vault", "\(summary.home.shown) is private and can be written, and its header is whole")
    }

    /// - Parameter files: what processes that were killed left of accounts or of the index of names.
    static func leftovers(_ files: [String]) -> Diagnosis {
        .warning(
            "leftovers",
            "a killed command left \(files.map(\.shown).joined(separator: ", "))",
            "bskyauth vault restore")
    }

    static func vaultOpens(_ summary: VaultSummary) -> Diagnosis {
        let count = summary.accounts
        return .ok("key", "opens the vault, which has \(count) account\(count == 1 ? "" : "s")")
    }

    // MARK: Beside the vault

    /// - Parameter obstacle: what keeps it from being written.
    static func cacheFolder(
        _ path: String?, _ error: FileAccessError?, _ obstacle: SystemError?
    ) -> Diagnosis {
        guard let path = path?.shown else {
            return .warning(
                "cache", "HOME is not set, so nothing is remembered, and more is asked over the network",
                "export XDG_CACHE_HOME=/var/cache/bskyauth")
        }
        let look = "ls -ld \(path.shellQuoted)"
        if error == nil || error == .missing, let obstacle {
            return .warning(
                "cache",
                "no file can be made in \(obstacle.path.shown), so nothing is remembered: \(obstacle.reason)",
                ErrorPresenter.wayToSee(obstacle))
        }
        return switch error {
        case nil: .ok("cache", "\(path) is private")
        case .missing: .ok("cache", "there is none in \(path) yet")
        case .unsafeMode(let mode):
            .warning(
                "cache", "\(path) can be read or written by others (mode \(String(mode, radix: 8)))",
                "chmod go-rwx \(path.shellQuoted)")
        case .foreignOwner: .warning("cache", "\(path) belongs to another user", look)
        case .system(let error): .warning("cache", "\(path) can't be looked at: \(error.reason)", look)
        case .symlink, .notDirectory, .notRegular, .tooLarge:
            .warning("cache", "\(path) is no directory, so nothing is remembered", look)
        }
    }

    static func keyring(_ error: SystemError?) -> Diagnosis {
        guard let error else { return .ok("keyring", "the kernel keeps keys: vault unlock works") }
        let failure = ErrorPresenter.failure(VaultError.keyringUnavailable(error))
        return .warning("keyring", failure.message, failure.hint ?? "bskyauth vault add-key --help")
    }

    static func pin(_ pin: AccountPin?) -> Diagnosis {
        .ok("pin", pin.map { "\($0.file.shown) chooses account \($0.account.shown)" } ?? "none counts here")
    }

    // MARK: Browser

    static func browser(_ browser: BrowserCommand) -> Diagnosis {
        if browser.isRemote, browser.command == nil {
            return .ok("browser", "not opened over SSH: login prints the URL, and takes the one it ends on")
        }
        let help = "bskyauth login HANDLE --no-browser"
        guard let words = browser.words else {
            return .warning("browser", "no display: login prints the URL for a browser elsewhere", help)
        }
        guard let name = words.first else {
            return .warning("browser", "the browser command is no command: a quote is left open", help)
        }
        guard let path = ExecutableFile.find(name, path: browser.environment["PATH"]) else {
            return .warning("browser", "\(name.shown), which is to open it, is no program here", help)
        }
        return .ok("browser", "\(path.shown) opens it")
    }
}
