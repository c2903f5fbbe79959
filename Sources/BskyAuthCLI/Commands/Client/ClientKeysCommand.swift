internal import ATPJSON
internal import ATPPlatform
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

struct ClientKeysCommand: OfflineCommand {
    /// What to do with the keys of a client.
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case list, add, remove
    }

    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "List, add or remove the keys of a client.",
        discussion: """
            Each place that logs in should have a key of its own. There, `client join` makes one and prints its public half; \
            here, `keys NAME add LABEL --public FILE` takes it. Without --public a new key is made here. After a change, \
            run: bskyauth client write NAME. A removed key stops the refreshes of its sessions once servers have forgotten \
            it; it ends no session by itself.
            """)

    @Argument(help: ArgumentHelp("The client.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("list, add or remove.", valueName: "action"))
    var action: Action = .list

    @Argument(help: ArgumentHelp("The key.", valueName: "label"))
    var label: String?

    @Option(
        name: .customLong("public"),
        help: ArgumentHelp(
            "A file with the public half of another place's key, or - for standard input.", valueName: "file"),
        completion: .file())
    var publicKey: String?

    @Flag(help: "Remove a key although sessions may still need it.")
    var force = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if action == .list, label != nil { throw ValidationError("list takes no label") }
        if action != .list, label == nil { throw ValidationError("\(action.rawValue) needs a label") }
        if publicKey != nil, action != .add { throw ValidationError("--public goes with add") }
    }

    func run(_ context: CommandContext) async throws -> Document {
        let accounts = try context.accounts()
        let clients = ClientStore(accounts.vault)
        var client = try clients.find(name)
        switch (action, label) {
        case (.add, let label?): client = try await add(label, to: client, clients, context)
        case (.remove, let label?):
            let sessions = try await ClientSessions(accounts, client)
            client = try await remove(label, of: client, sessions, clients, context)
        default: break
        }
        return Document(
            json: { [client] in try await ClientText.json([client], in: accounts) },
            text: { [client] in
                guard action == .list else { return nil }
                return .table(ClientText.table(of: client, try await ClientSessions(accounts, client)))
            })
    }

    private func add(
        _ label: String, to client: HostedClient, _ clients: ClientStore, _ context: CommandContext
    ) async throws -> HostedClient {
        guard client.isPublished else { throw ErrorPresenter.clientIsPublishedElsewhere(client) }
        let given = try publicKey.map(readKey)
        let changed = try await clients.change(client.id) { client in
            guard let given else { return try client.addKey(labelled: label, at: context.now) }
            try client.take(given, labelled: try client.unusedLabel(label), at: context.now)
        }
        sayToWrite("added the key \(label) to \(client.name.escapedForTerminal)", client, context)
        return changed
    }

    /// Reads a public key. A private one is refused, so that users keep it where it is.
    private func readKey(_ path: String) throws -> PublicJWK {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try InputFile.read(path, limit: 16384)
        } catch {
            throw Failure.unreadable(path, error, hint: "bskyauth client keys NAME add LABEL --public FILE")
        }
        let source = InputFile.name(of: path).escapedForTerminal
        guard let json = try? JSONParser.parse(bytes), let key = PublicJWK(json: json), key.isValid else {
            throw Failure.usage(
                "\(source) is no public key; it is what `bskyauth client join` prints on the other machine"
            )
        }
        guard json["d"] == nil else {
            throw Failure.usage(
                "\(source) has a private key; it must not leave its machine. "
                    + "Make another one there: bskyauth client join")
        }
        return key
    }

    private func remove(
        _ label: String, of client: HostedClient, _ sessions: ClientSessions, _ clients: ClientStore,
        _ context: CommandContext
    ) async throws -> HostedClient {
        guard let key = client.keys.first(where: { $0.label == label || $0.id == label }) else {
            throw ErrorPresenter.noSuchKey(client, label)
        }
        if !force, sessions.mayNeed(key, at: context.now) {
            let question =
                "Sessions may need the key \(key.label.escapedForTerminal). Without it they can't be refreshed or "
                + "logged out. Remove it?"
            guard let answer = try context.answer(to: question) else {
                throw ErrorPresenter.keyMayBeNeeded(client, key.label)
            }
            guard answer else { throw Failure(.declined, "declined", "nothing was removed") }
        }
        let changed = try await clients.change(client.id) { client in
            client.keys.removeAll { $0.id == key.id }
            client.removedKeyIDs.append(key.id)
        }
        sayToWrite(
            "removed the key \(key.label.escapedForTerminal) of \(client.name.escapedForTerminal)", client,
            context)
        let pages = sessions.accountPages(of: key)
        let place = pages.isEmpty ? "the account page of the server" : pages.joined(separator: " and ")
        context.console.say(
            "its sessions stop refreshing when servers have forgotten it, up to an hour after you publish; "
                + "to end them, sign the app out at \(place)")
        return changed
    }

    private func sayToWrite(_ done: String, _ client: HostedClient, _ context: CommandContext) {
        let next =
            client.isPublished
            ? "; now:  bskyauth client write \(client.name.escapedForTerminal.shellQuoted)" : ""
        context.console.say(done + next)
    }
}

extension HostedClient {
    /// Takes the public half of a key that another place has.
    fileprivate mutating func take(_ key: PublicJWK, labelled label: String, at now: Date) throws {
        guard kind == .web else {
            throw Failure.usage("the client \(name.escapedForTerminal) is public and has no keys")
        }
        guard !removedKeyIDs.contains(key.thumbprint) else {
            throw Failure.usage("this key was removed from \(name.escapedForTerminal); make another one")
        }
        guard !keys.contains(where: { $0.id == key.thumbprint }) else {
            throw Failure.usage("the client \(name.escapedForTerminal) has this key already")
        }
        keys.append(Key(label: label, publicKey: key, secret: nil, addedAt: now))
    }
}
