internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import FoundationEssentials

/// Shows and ends the sessions of apps and browsers.
struct SessionCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List and end the sessions of apps and browsers.",
        subcommands: [List.self, End.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the sessions.",
            discussion: """
                Each line has the ID, the app, when the session began, when it was used last, when it ends unless it is \
                refreshed, and its accounts, with a tab between them.
                """)

        @Option(help: ArgumentHelp("Print only the sessions with this account.", valueName: "DID")) var did:
            String?
        @OptionGroup var options: CommonOptions

        func run() async throws {
            try await Operation.run(options) { parts in
                var last: UUID?
                while true {
                    let page = try await parts.sessions.book.sessions(after: last)
                    for found in page {
                        let session = found.session
                        guard did == nil || session.accounts.contains(where: { $0.did == did }) else {
                            continue
                        }
                        let used = try await parts.lastUse.find(found.id) ?? session.created
                        print(
                            [
                                found.id.uuidString, session.app, session.created.ISO8601Format(),
                                used.ISO8601Format(), session.expiry.ISO8601Format(),
                                session.accounts.map(\.did).joined(separator: ","),
                            ].joined(separator: "\t"))
                    }
                    guard let next = page.last?.id else { return }
                    last = next
                }
            }
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a session, and log its accounts out at their servers.")

        @Argument(help: ArgumentHelp("The ID that `sessions list` prints.", valueName: "id")) var id: String
        @OptionGroup var options: CommonOptions

        func run() async throws {
            try await Operation.run(options) { parts in
                guard let id = UUID(uuidString: id), let found = try await parts.sessions.book.find(id) else {
                    Person.tell("there is no session \(id). Run `bskyauth-server sessions list`.")
                    throw ExitCode.failure
                }
                try await parts.sessions.logOutAll(of: found)
                for entry in found.session.accounts {
                    await parts.audit.write(
                        .endedByOperator, did: entry.did, account: entry.id, session: id,
                        app: found.session.app)
                }
            }
        }
    }
}

struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Log a person out of everything, and remove what the server knows of the person.",
        discussion: """
            The audit log keeps its lines, but the server does not know any more whose they are. If the server of an account \
            can't be reached, the tokens stay until a sweep has revoked them, for 30 days at most.
            """)

    @Argument(help: ArgumentHelp("The DID of the account.", valueName: "DID")) var did: String
    @OptionGroup var options: CommonOptions

    func run() async throws {
        try await Operation.run(options) { parts in
            guard let person = DID(did) else {
                Person.tell("\(did) is no DID. Write one like did:plc:ewvi7nxzyoun6zhxrhs64oiz.")
                throw ExitCode(64)
            }
            // A login for a protected site has a session, but no account in the vault.
            let logins = Set(
                try await parts.vault.accounts().filter { $0.did == person }.map(\.id)
                    + parts.sessions.book.owners(of: did).map(\.account))
            for login in logins {
                try await parts.sessions.end(AppSession.Entry(id: login, did: did))
            }
            let left = try await parts.vault.accounts().count { $0.did == person }
            await parts.audit.write(.forgotten, did: did)
            try await parts.audit.forget(did)
            print("\(logins.count - left) of \(logins.count) logins removed")
            if left > 0 {
                Person.tell(
                    "the server of \(did) can't be told now. The server tries again each hour. To try sooner, wait ten "
                        + "minutes and run `bskyauth-server sweep`.")
                throw ExitCode.failure
            }
        }
    }
}
