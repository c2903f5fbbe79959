internal import ArgumentParser
internal import BskyAuthCore
internal import OAuthDPoP

/// The client that a login uses.
struct ClientOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Log in with a client of your own: its name, or the https URL of its metadata document.",
            valueName: "name|url"))
    var client: String?

    @Option(
        help: ArgumentHelp(
            "The key of that client to log in with (default: the newest that is here).", valueName: "label"))
    var clientKey: String?

    @Option(name: .customLong("client-id"), help: .hidden)
    var clientID: String?

    func validate() throws {
        if client != nil, clientID != nil {
            throw ValidationError("--client-id is the old spelling of --client; give one of them")
        }
    }

    /// The client that the command line names.
    var named: String? { client ?? clientID }

    /// The options as they were given, for the next step of a failed login.
    func words(withKey: Bool = true) -> [String] {
        let key = withKey ? clientKey : nil
        return (named.map { ["--client", $0] } ?? []) + (key.map { ["--client-key", $0] } ?? [])
    }

    /// The client that is named here or by the variable.
    func choose(_ settings: Settings, in clients: ClientStore) throws -> LoginClient {
        guard let name = named ?? settings.clientID else {
            guard clientKey == nil else { throw Failure.usage("--client-key needs --client NAME") }
            return .loopback
        }
        let found: HostedClient
        do { found = try clients.find(name) } catch let error as CoreError {
            // A public client needs nothing that the vault would have.
            guard case .unknownClient = error, name.hasPrefix("https://"), clientKey == nil else {
                throw error
            }
            return .native(try ClientIDOption.validated(name))
        }
        switch found.kind {
        case .native:
            guard clientKey == nil else {
                throw Failure.usage("the client \(found.name.escapedForTerminal) is public and has no keys")
            }
            return .native(found.clientID, scope: found.scope)
        case .web:
            guard let key = found.key(named: clientKey) else {
                throw ErrorPresenter.noKeyForLogin(found, named: clientKey)
            }
            return .web(found, key: key)
        }
    }
}

extension LoginClient {
    /// What a login asks for unless told otherwise; nil for the usual scope.
    var scope: Scope? {
        switch self {
        case .web(let client, _): client.scope
        case .native(_, let scope): scope
        case .loopback, .backend: nil
        }
    }

    /// The scope of the client's document, and so the most that a login may ask for; nil if it is not known.
    var declaredScope: Scope? {
        // The document of a client that was joined is elsewhere, and can have more.
        if case .web(let client, _) = self, !client.isPublished { nil } else { scope }
    }

    /// Whether a page on the web hands the answer on to this machine.
    var usesPage: Bool {
        switch self {
        case .web, .backend: true
        case .loopback, .native: false
        }
    }
}
