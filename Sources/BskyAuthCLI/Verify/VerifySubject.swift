internal import ATPPlatform
internal import ATProtoIdentity

/// What is to be verified.
enum VerifySubject {
    case record(RecordReference)
    case account(ATIdentifier)
    /// The path of a CAR file, as for `InputFile`.
    case file(String)

    /// - Parameter isAccount: whether `--repo` says that an account is named.
    init(_ text: String, isAccount: Bool) throws {
        let shown = text.escapedForTerminal
        if isAccount {
            guard let account = Self.account(text) else {
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
        } else if text.contains("://") || text.hasPrefix("bsky.app/") || text.isEmpty {
            throw Failure.usage(
                "\"\(shown)\" is not the address of a record, which begins with at:// or https://bsky.app/")
        } else if let account = Self.account(text), try !Self.isFile(text) {
            throw Self.wholeRepository("\"\(shown)\" is an account", account)
        } else {
            self = .file(text)
        }
    }

    /// What it is called in a message.
    var words: String {
        switch self {
        case .record(let record): record.description
        case .account(let account): "the repository of \(account)"
        case .file(let path): InputFile.name(of: path).escapedForTerminal
        }
    }

    /// The account whose repository it is about; nil for a file.
    var owner: ATIdentifier? {
        switch self {
        case .record(let record): record.repo
        case .account(let account): account
        case .file: nil
        }
    }

    /// The arguments that name it.
    var arguments: String {
        switch self {
        case .record(let record): record.description.shellQuoted
        case .account(let account): "\(account.description.shellQuoted) --repo"
        case .file(let path): path.escapedForTerminal.shellQuoted
        }
    }

    /// A handle, with or without `@`, a DID, or an AT-URI of either.
    static func account(_ text: String) -> ATIdentifier? {
        if let reference = try? RecordReference(parsing: text) {
            return reference.collection == nil ? reference.repo : nil
        }
        return try? ATIdentifier(validating: text.hasPrefix("@") ? text.dropFirst() : text[...])
    }

    /// Whether a text that may be a handle or a DID is a file.
    private static func isFile(_ text: String) throws -> Bool {
        guard !text.hasSuffix(".car") else { return true }
        do throws(SystemError) { return try FileSystem.exists(text) } catch {
            throw Failure.unreadable(text, error, hint: "bskyauth help verify")
        }
    }

    private static func wholeRepository(_ problem: String, _ account: ATIdentifier) -> Failure {
        var failure = Failure.usage("\(problem); to check its whole repository, add --repo")
        failure.hint = "bskyauth verify \(account.description.shellQuoted) --repo"
        return failure
    }
}
