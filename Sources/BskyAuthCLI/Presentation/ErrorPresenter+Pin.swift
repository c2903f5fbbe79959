internal import ATPPlatform
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore

/// The errors of a `.bskyauth-account` file. A wrong file is never ignored, because the command would then use an
/// account that the user did not mean.
extension ErrorPresenter {
    static func unusablePin(_ file: String, _ error: FileAccessError) -> Failure {
        let path = file.escapedForTerminal
        let look = "ls -l \(path.shellQuoted)"
        func unsafe(_ problem: String, _ hint: String) -> Failure {
            Failure(.vaultDamaged, "unsafe_pin", "the pin \(path) \(problem), so it is not used", hint: hint)
        }
        return switch error {
        case .symlink: unsafe("is a symbolic link", look)
        case .foreignOwner: unsafe("belongs to another user", look)
        case .unsafeMode(let mode):
            unsafe(
                "can be written by others (mode \(String(mode, radix: 8)))", "chmod go-w \(path.shellQuoted)")
        case .notRegular, .notDirectory: unsafe("is not a regular file", look)
        case .tooLarge: malformedPin(file)
        case .missing: Failure(.failure, "pin_failed", "\(path) is not there", hint: look)
        case .system(let error):
            Failure(
                .failure, "pin_failed", "\(path): \(error.operation) failed: \(error.reason)",
                hint: "ls -ld \(FileSystem.directory(of: path).shellQuoted)")
        }
    }

    static func malformedPin(_ file: String) -> Failure {
        Failure(
            .unknownAccount, "malformed_pin",
            "the pin \(file.escapedForTerminal) does not contain an account's UUID", hint: pinAgain(file))
    }

    static func unknownPin(_ pin: AccountPin) -> Failure {
        Failure(
            .unknownAccount, "unknown_account",
            "the pin \(pin.file.escapedForTerminal) names account \(pin.account.text), which is not in this vault",
            hint: pinAgain(pin.file))
    }

    /// For commands that take no word for it but that of a person.
    ///
    /// - Parameter selector: a word that names only this account.
    static func pinNotFollowed(_ file: String, to account: Account, _ selector: String) -> Failure {
        let name = AccountText.name(account)
        return Failure(
            .usage, "pin_not_followed",
            "the pin \(file.escapedForTerminal) names \(name), which is not the active account; name the account to log out of",
            hint: "bskyauth logout \(selector)", account: name)
    }

    private static func pinAgain(_ file: String) -> String {
        "cd \(FileSystem.directory(of: file).escapedForTerminal.shellQuoted) && bskyauth accounts pin ACCOUNT"
    }
}
