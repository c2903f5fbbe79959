internal import ArgumentParser
internal import BskyAuthServerSupport
internal import FoundationEssentials

/// Manages the codes and the session keys of the client assertion backend. The server may run meanwhile.
struct EnrolmentCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrolments",
        abstract: "List, add and remove what admits session keys to the client assertion backend.",
        subcommands: [List.self, Add.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the codes and the session keys that are known.",
            discussion: """
                A code has its ID, its name, when it expires, and the key that has used it. A session key has its \
                thumbprint, the client key that signs for it, what admits it, and the date of its first assertion.
                """)

        @OptionGroup var options: CommonOptions

        func run() async throws {
            try await EnrolmentCommands.working(options) { enrolments, keys in
                for code in try await enrolments.all() {
                    let expiry = code.expiry?.ISO8601Format() ?? "never"
                    print(
                        "code\t\(code.id)\t\(code.enrolment.name)\t\(expiry)\t\(code.enrolment.usedBy ?? "unused")"
                    )
                }
                for (thumbprint, entry) in try await keys.all() {
                    let way =
                        switch entry.enrolment {
                        case .code(let name)?: "code \(name)"
                        case .hook?: "hook"
                        case nil: "settings"
                        }
                    print("key\t\(thumbprint)\t\(entry.kid)\t\(way)\t\(entry.since.ISO8601Format())")
                }
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a code that admits one session key, and print it. It is shown only now.")

        @Argument(help: "Your name for the machine or the login.") var name: String
        @Option(help: ArgumentHelp("How many hours the code works (1 to 720).", valueName: "hours"))
        var hours = 24
        @OptionGroup var options: CommonOptions

        func validate() throws {
            guard (1...720).contains(hours) else {
                throw ValidationError("--hours takes a number from 1 to 720")
            }
            guard name.wholeMatch(of: /[A-Za-z0-9@._-]{1,64}/) != nil else {
                throw ValidationError("the name takes up to 64 letters, digits, dots, dashes and @")
            }
        }

        func run() async throws {
            try await EnrolmentCommands.working(options) { enrolments, _ in
                print(try await enrolments.add(name, for: .seconds(hours * 3600)))
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a code, or forget a session key, which must then be admitted anew.",
            discussion: "Write -- before a thumbprint that begins with a dash.")

        @Argument(help: ArgumentHelp("The ID of a code, or a thumbprint.", valueName: "id|thumbprint"))
        var what: String
        @OptionGroup var options: CommonOptions

        func run() async throws {
            try await EnrolmentCommands.working(options) { enrolments, keys in
                let isRemoved: Bool
                if AssertionSettings.isThumbprint(what) {
                    // The codes first: a key that is forgotten must not come back by one of them.
                    try await enrolments.removeCodes(usedBy: what)
                    isRemoved = try await keys.remove(what)
                } else {
                    isRemoved = try await enrolments.remove(what)
                }
                guard isRemoved else {
                    Person.tell("there is no \(what). Run `bskyauth-server enrolments list`.")
                    throw ExitCode.failure
                }
            }
        }
    }

    /// Opens the rows, and tells the person what failed.
    private static func working(
        _ options: CommonOptions, _ work: (Enrolments, SessionKeys) async throws -> Void
    ) async throws {
        let configuration = try options.configuration()
        guard let settings = configuration.assertions else {
            Person.tell(
                "the client assertion backend is off. Write the section [assertions] into the settings.")
            throw ExitCode.failure
        }
        do {
            try PrivateFiles.prepare(folder: configuration.state)
            let rows = try ServerStore.rows(configuration)
            try await work(
                Enrolments(rows: rows) { Date() }, SessionKeys(rows: rows, idle: settings.keysIdle) { Date() }
            )
        } catch let code as ExitCode {
            throw code
        } catch {
            Person.tell("\(error)")
            throw ExitCode.failure
        }
    }
}
