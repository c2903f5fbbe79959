import ATPJSON
import ATProtoSessions
import Testing

@testable import BskyAuthCLI
@testable import BskyAuthCore

/// An error with what a script is told of it.
struct ErrorCase: Sendable, CustomTestStringConvertible {
    let error: any KnownError
    let code: String
    let status: ExitStatus

    init(_ error: CoreError, _ code: String, _ status: ExitStatus) {
        self.init(any: error, code, status)
    }

    init(_ error: SessionFailure, _ code: String, _ status: ExitStatus) {
        self.init(any: error, code, status)
    }

    /// - Parameter error: of any type.
    init(any error: any KnownError, _ code: String, _ status: ExitStatus) {
        self.error = error
        self.code = code
        self.status = status
    }

    var testDescription: String { "\(code) \(status): \(error)" }

    /// What a hostile server, file or argument might say: it must not reach a terminal as it is.
    static let hostile = "evil\u{1b}[2J\nbskyauth: all is well\u{202e}"

    /// Holds a failure to what every failure promises.
    func check() {
        let failure = ErrorPresenter.failure(for: error)
        #expect(failure.code == code && failure.status == status, "\(failure)")
        Self.check(failure)
    }

    /// The same for a failure whose code and status are another test's matter.
    static func check(_ failure: Failure) {
        let isCode = failure.code.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x5f }
        #expect(!failure.code.isEmpty && isCode, "\(failure.code)")
        for text in [
            failure.message, failure.hint ?? "x", failure.account ?? "x", failure.serverError ?? "x",
        ] {
            #expect(!text.isEmpty)
            #expect(text.unicodeScalars.allSatisfy(isHarmless), "\(text)")
            for secret in ["s3cret", "access_token", "refresh_token"] { #expect(!text.contains(secret)) }
        }
        #expect(isLowerCase(failure.message), "\(failure.message)")
        #expect(!failure.message.hasSuffix("."), "\(failure.message)")
        if let hint = failure.hint {
            #expect(isLowerCase(hint), "\(hint)")
            // Words behind a command would be its arguments.
            #expect(!hint.contains("   "), "\(hint)")
        } else {
            #expect(hopeless.contains(failure.code), "\(failure.code) has no next step")
        }
        #expect(!failure.json.text.contains("\u{1b}"))
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// Begins in lower case, with a name, or with a word that is written in capitals.
    private static func isLowerCase(_ text: String) -> Bool {
        let word = text.prefix { !$0.isWhitespace }
        return text.first?.isUppercase == false || word.uppercased() == String(word)
    }

    /// Where nothing that could be said would help.
    private static let hopeless: Set = [
        "cryptography", "interrupted", "declined", "vault_exists", "transport", "input_unreadable",
    ]
}
