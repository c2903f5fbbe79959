internal import ATPPlatform
internal import ATProtoIdentity

/// What is to be verified.
enum VerifySubject {
    case record(RecordReference)
    case account(ATIdentifier)
    /// A CAR file, or `-` for standard input.
    case file(String)

    /// - Parameter isAccount: whether `--repo` says that an account is named.
    init(_ text: String, isAccount: Bool) throws {
        let shown = text.escapedForTerminal
        if isAccount {
            let reference = try? RecordReference(parsing: text)
            let account = reference?.collection == nil ? reference?.repo : nil
            guard let account = try? account ?? ATIdentifier(validating: text) else {
                throw Failure.usage("--repo takes a handle or a DID, not \"\(shown)\"")
            }
            self = .account(account)
        } else if RecordReference.isMeant(by: text) {
            guard let record = try? RecordReference(parsing: text) else {
                throw Failure.usage("\"\(shown)\" is not the address of a record")
            }
            guard record.key != nil else {
                throw Self.wholeRepository("\"\(shown)\" names no record", record.repo)
            }
            self = .record(record)
        } else if let account = try? ATIdentifier(validating: text), try !Self.isFile(text) {
            throw Self.wholeRepository("\"\(shown)\" is an account", account)
        } else {
            self = .file(text)
        }
    }

    /// The command that verifies it.
    var command: String {
        switch self {
        case .record(let record): "bskyauth verify \(record.description.shellQuoted)"
        case .account(let account): "bskyauth verify \(account.description.shellQuoted) --repo"
        case .file(let path): "bskyauth verify \(path.escapedForTerminal.shellQuoted)"
        }
    }

    /// Whether a text that may be a handle or a DID is a file.
    private static func isFile(_ text: String) throws -> Bool {
        guard !text.hasSuffix(".car") else { return true }
        do throws(SystemError) { return try FileSystem.exists(text) } catch {
            throw Failure.unreadable(text, error, hint: "bskyauth verify FILE.car")
        }
    }

    private static func wholeRepository(_ problem: String, _ account: ATIdentifier) -> Failure {
        var failure = Failure.usage("\(problem); to check its whole repository, add --repo")
        failure.hint = "bskyauth verify \(account.description.shellQuoted) --repo"
        return failure
    }
}
