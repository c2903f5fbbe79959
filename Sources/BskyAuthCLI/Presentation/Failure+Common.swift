internal import Platform

extension Failure {
    /// The command that shows the help of all commands.
    static let help = "bskyauth help"

    static func usage(_ message: String) -> Failure {
        Failure(.usage, "usage", message, hint: help)
    }

    static func terminal(_ error: SystemError) -> Failure {
        Failure(
            .failure, "terminal", "the terminal can't be used: \(error.reason)", hint: "bskyauth --no-input …"
        )
    }

    /// A file of what to send that can't be read.
    static func unreadable(_ path: String, _ error: SystemError, hint: String) -> Failure {
        Failure(.usage, "input_unreadable", "\(path.shown) can't be read: \(error.reason)", hint: hint)
    }

    /// A file for data that can't be made or filled.
    static func unwritable(_ path: String, _ error: SystemError) -> Failure {
        Failure(
            .failure, "output_failed", "\(path.shown) can't be written: \(error.reason)",
            hint: "bskyauth call … -o FILE")
    }

    /// How to go on with pages; nil where there is no cursor, or none that a terminal may be shown.
    static func resumption(_ cursor: String?) -> String? {
        guard let cursor, cursor.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else { return nil }
        return "resume with --cursor \(cursor.shellQuoted)"
    }

    /// The same ending without its words, for a command that has said them already.
    var told: Failure {
        var copy = self
        copy.isTold = true
        return copy
    }
}
