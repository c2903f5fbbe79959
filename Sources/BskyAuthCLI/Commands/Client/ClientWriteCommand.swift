internal import ATPJSON
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

struct ClientWriteCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write the files of a client again.",
        discussion: """
            Starts from the document that is published now: keys that another place has added stay in it. Only keys that \
            you have removed with `client keys` are left out. Publish the files afterwards.
            """)

    @Argument(help: ArgumentHelp("The client.", valueName: "name"))
    var name: String

    @OptionGroup var site: SiteOptions

    @Flag(help: "Write only the keys of this vault, and do not fetch the published document.")
    var ignorePublished = false

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws -> Document {
        let accounts = try context.accounts()
        let clients = ClientStore(accounts.vault)
        let published = PublishedKeys(accounts, servers)
        let others = try await published.others(of: clients.find(name), isIgnored: ignorePublished)
        // Read the client again: its keys may have been changed meanwhile.
        return try await published.write(clients.find(name), keeping: others, site)
    }
}

struct ClientRotateCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Add a new key to a client for later logins, and write its files.",
        discussion: """
            Present sessions keep the key that they were made with, so no key is removed. When the last session of an old \
            key has ended, remove it: bskyauth client keys NAME remove LABEL
            """)

    @Argument(help: ArgumentHelp("The client.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("Your name for the new key.", valueName: "label"))
    var keyLabel: String?

    @OptionGroup var site: SiteOptions

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws -> Document {
        let accounts = try context.accounts()
        let clients = ClientStore(accounts.vault)
        let client = try clients.find(name)
        let published = PublishedKeys(accounts, servers)
        let others = try await published.others(of: client, isIgnored: false)
        let changed = try await clients.change(client.id) { client in
            try client.addKey(labelled: keyLabel, at: context.now)
        }
        return try await published.write(changed, keeping: others, site)
    }
}

/// Writes a client's files without dropping keys that only its published document has.
struct PublishedKeys {
    private let accounts: VaultAccounts
    private let servers: ServerAccess
    private let context: CommandContext

    init(_ accounts: VaultAccounts, _ servers: ServerAccess) {
        self.accounts = accounts
        self.servers = servers
        context = servers.context
    }

    /// The keys of the published document that this vault does not know.
    func others(of client: HostedClient, isIgnored: Bool) async throws -> [JSONValue] {
        guard client.isPublished else { throw ErrorPresenter.clientIsPublishedElsewhere(client) }
        guard client.kind == .web, !isIgnored else { return [] }
        let network = try servers.environment(try servers.network())
        do {
            if let document = try await ClientSite(network).document(of: client) {
                return document.keys(unknownTo: client)
            }
        } catch let error as any KnownError {
            var failure = ErrorPresenter.failure(for: error)
            failure.hint =
                "to write only the keys of this vault:  bskyauth client write "
                + "\(client.name.escapedForTerminal.shellQuoted) --ignore-published"
            throw failure
        }
        context.console.say("nothing is published yet, so the files have only the keys of this vault")
        return []
    }

    func write(
        _ client: HostedClient, keeping others: [JSONValue], _ site: SiteOptions
    ) async throws -> Document {
        let directory = try site.write(client, keeping: others, default: client.directory)
        let changed = try await ClientStore(accounts.vault).change(client.id) { $0.directory = directory }
        return Document(
            json: { try await ClientText.json([changed], in: accounts) },
            afterwards: { say(changed, others, directory, context.console) })
    }

    private func say(
        _ client: HostedClient, _ others: [JSONValue], _ directory: String, _ console: Console
    ) {
        console.say("wrote the files of \(client.name.escapedForTerminal) to \(directory.escapedForTerminal)")
        for key in others {
            let name = key["kid"]?.string?.escapedForTerminal ?? "without a kid"
            console.say("kept the published key \(name), which this vault does not know")
        }
        console.say(
            "publish them, then:  bskyauth client check \(client.name.escapedForTerminal.shellQuoted)")
    }
}

extension HostedClient {
    /// Adds a new key of this vault. Later logins use it.
    mutating func addKey(labelled label: String?, at now: Date) throws {
        guard kind == .web else {
            throw Failure.usage("the client \(name.escapedForTerminal) is public and has no keys")
        }
        let label = try label.map(unusedLabel) ?? freeLabel()
        try addNamed(ClientKey(random: ()), label, at: now)
    }

    /// Adds a key of this vault with a label that no other key may have.
    mutating func addNamed(_ key: ClientKey, _ label: String, at now: Date) throws {
        let label = try unusedLabel(label)
        keys.append(Key(label: label, publicKey: key.publicKey, secret: key, addedAt: now))
    }

    /// A label that no key has.
    func unusedLabel(_ label: String) throws -> String {
        let label = try ClientURL.keyLabel(label)
        guard !keys.contains(where: { $0.label == label }) else {
            throw Failure.usage("the client \(name.escapedForTerminal) has a key \"\(label)\" already")
        }
        return label
    }

    /// `key-2` for the second key.
    private func freeLabel() -> String {
        let taken = Set(keys.map(\.label))
        return ((keys.count + 1)...).lazy.map { "key-\($0)" }.first { !taken.contains($0) } ?? "key"
    }
}
