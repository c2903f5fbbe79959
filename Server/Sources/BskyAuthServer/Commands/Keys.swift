internal import ArgumentParser
internal import BskyAuthServerSupport
internal import FoundationEssentials

/// Manages the keys of the server.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List, add and retire the keys of the server.",
        discussion: """
            The newest sealing key seals sessions, and every listed one opens them. The newest client key signs for new \
            logins, and a session keeps the key of its login.
            """,
        subcommands: [List.self, Add.self, Retire.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print kind, name and date of each key, the newest last.")

        @OptionGroup var options: CommonOptions

        func run() async throws {
            let configuration = try options.configuration()
            try await Keys.telling {
                for kind in KeyKind.allCases {
                    for key in try KeyFile(kind, in: configuration.keysFolder).keys {
                        print("\(kind.rawValue)\t\(key.kid)\t\(key.added.ISO8601Format())")
                    }
                }
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key, which is the newest from then on, and print its name.")

        @Argument(help: "sealing or client.") var kind: KeyKind
        @OptionGroup var options: CommonOptions

        func run() async throws {
            let configuration = try options.configuration()
            try await Keys.telling {
                try PrivateFiles.prepare(folder: configuration.state)
                try PrivateFiles.prepare(folder: configuration.keysFolder)
                var file = try KeyFile(kind, in: configuration.keysFolder)
                var kid = ""
                try await file.update(in: SharedKeys.open(configuration)) { kid = try $0.add(at: Date()).kid }
                print(kid)
                Person.tell("restart the server to use the new key.")
            }
        }
    }

    struct Retire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a key that no session uses any more.",
            discussion: "Write -- before a name that begins with a dash.")

        @Argument(help: "sealing or client.") var kind: KeyKind
        @Argument(help: "The name of the key.") var kid: String
        @Flag(help: "Retire it even if sessions use it. They can't be used any more.") var now = false
        @OptionGroup var options: CommonOptions

        func run() async throws {
            let configuration = try options.configuration()
            if kind == .client && !now { try await refuseIfPinned(configuration) }
            try await Keys.telling {
                var file = try KeyFile(kind, in: configuration.keysFolder)
                let age = kind == .sealing ? configuration.longestSeal : configuration.sessionTTL
                try await file.update(in: SharedKeys.open(configuration)) { file in
                    try file.retire(kid, ifReplacedFor: now ? nil : age, at: Date())
                }
                Person.tell("restart the server, so that it forgets the key.")
            }
        }

        /// The sessions of programs elsewhere, which ask for assertions, are in no file of this server. Their keys are.
        private func refuseIfPinned(_ configuration: Configuration) async throws {
            let count: Int
            do {
                let rows = try ServerStore.rows(configuration)
                let keys = try await SessionKeys(rows: rows, idle: .zero) { Date() }.all()
                count = keys.filter { $0.entry.kid == kid }.count
            } catch {
                Person.tell("\(error)")
                throw ExitCode.failure
            }
            guard count == 0 else {
                Person.tell(
                    "the client key \(kid) is still needed: the number of session keys it signs for is \(count). Run "
                        + "`bskyauth-server enrolments list` to see them. If the key is retired with --now, their sessions "
                        + "can't be refreshed any more.")
                throw ExitCode.failure
            }
        }
    }

    /// Tells the person what failed, and ends with exit status 1.
    fileprivate static func telling(_ work: () async throws -> Void) async throws {
        do { try await work() } catch {
            Person.tell("\(error)")
            throw ExitCode.failure
        }
    }
}

extension KeyKind: ExpressibleByArgument {}
