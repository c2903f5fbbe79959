internal import ATPNetworking
internal import ATProtoSessions
internal import BskyAuthCore
internal import OAuthDPoP

/// Clients of the user's own.
extension ErrorPresenter {
    /// A server refuses the client of a session. Waiting alone does not help.
    static let clientRefusedCode = "client_refused"

    static func unknownClient(_ name: String, known: [String]) -> Failure {
        let list = known.map(\.escapedForTerminal).joined(separator: ", ")
        let rest = known.isEmpty ? "this vault has none" : "this vault has: \(list)"
        return Failure(
            .usage, "unknown_client", "no client is called \"\(name.escapedForTerminal)\"; \(rest)",
            hint: known.isEmpty ? "bskyauth help client" : "bskyauth client list")
    }

    static func clientExists(_ client: HostedClient) -> Failure {
        Failure(
            .usage, "client_exists",
            "there is a client \(client.name.escapedForTerminal) at \(client.base.escapedForTerminal) already; "
                + "two clients can't have the same name or the same URL",
            hint: "bskyauth client list")
    }

    /// A login names a key that is not here, or the client has none.
    static func noKeyForLogin(_ client: HostedClient, named label: String?) -> Failure {
        let name = client.name.escapedForTerminal
        let mine = client.keys.filter { $0.secret != nil }.map(\.label.escapedForTerminal)
        guard let label, !mine.isEmpty else {
            return Failure(
                .usage, "no_client_key", "this vault has no key of the client \(name)",
                hint: client.isPublished
                    ? "bskyauth client rotate \(name.shellQuoted)"
                    : "bskyauth client join \(client.base.escapedForTerminal.shellQuoted)")
        }
        return Failure(
            .usage, "no_client_key",
            "this vault has no key \"\(label.escapedForTerminal)\" of the client \(name); "
                + "it has: \(mine.joined(separator: ", "))",
            hint: "bskyauth client keys \(name.shellQuoted)")
    }

    static func unreadableClient(_ error: UnreadableRecord) -> Failure {
        Failure(
            .vaultDamaged, "unreadable_record",
            "a client in the vault opens, but its content can't be read (\(error.member)): "
                + "another version of bskyauth or another program wrote it",
            hint: "update bskyauth")
    }

    static func clientKeyShared(_ login: AccountLogin, _ others: [Account]) -> Failure {
        let name = AccountText.name(login.account)
        return Failure(
            .usage, "client_key_shared",
            "the bundle of \(name) would have a client key that \(others.map(AccountText.name).joined(separator: ", ")) "
                + "uses too. Log in with a key of its own (bskyauth client keys NAME add LABEL, then --client-key LABEL), "
                + "or add --share-client-key",
            hint: "bskyauth client list", account: name)
    }

    static func clientKeyNotPublished(_ client: ClientID, keyID: String) -> Failure {
        Failure(
            .refused, "client_key_not_published",
            "the bundle has a session whose client key (\(keyID.escapedForTerminal)) is not in the document at "
                + "\(client.description.escapedForTerminal). It could not be refreshed, so nothing was imported. "
                + "Publish the key first, where the client is published:  bskyauth client write NAME",
            hint: "run the command again when the key is published")
    }

    /// Where the reference server lets a user sign an app out.
    static func accountPage(of issuer: Issuer) -> String {
        "\(issuer.description.escapedForTerminal)/account"
    }

    /// The server answered the logout with success, but the session goes on.
    static func logoutRefused(_ login: AccountLogin, _ issuer: Issuer, _ said: String?) -> Failure {
        let name = AccountText.name(login.account)
        let reason =
            said.map { "the server refuses the client (\($0.escapedForTerminal))" }
            ?? "the server refreshed it afterwards"
        return Failure(
            .serverError, "logout_refused",
            "the session of \(name) was not ended: \(reason). The account stays here. You can also sign the app out at "
                + "\(accountPage(of: issuer))",
            hint: login.terms.checkCommand, account: name)
    }

    /// A session is bound to a key that is elsewhere.
    static func clientKeyMissing(_ client: ClientID, keyID: String) -> Failure {
        Failure(
            .loginNeeded, "no_client_key",
            "the session belongs to a key (\(keyID.escapedForTerminal)) of the client "
                + "\(client.description.escapedForTerminal) that is not in this vault; nothing was sent. "
                + "Use the session where the key is, or log in again with a key that is here",
            hint: "bskyauth client list")
    }
}

/// The document of a client, and changes of its keys.
extension ErrorPresenter {
    static func clientDocument(_ url: String, _ problem: ClientDocumentProblem) -> Failure {
        Failure(
            .refused, "client_document", words(problem, url),
            hint: "mend what the web host serves there, and run the command again")
    }

    static func words(_ problem: ClientDocumentProblem, _ url: String) -> String {
        let place = url.escapedForTerminal
        return switch problem {
        case .redirect(let target):
            "\(place) redirects\(target.map { " to \($0.escapedForTerminal)" } ?? ""); servers do not follow redirects, "
                + "so make the client with the URL that answers"
        case .status(let status): "\(place) answered HTTP \(status)"
        case .mediaType: "\(place) is not served as application/json"
        case .malformed: "\(place) is not valid JSON"
        case .clientID(let found):
            "the document at \(place) says that its client_id is \"\(found.escapedForTerminal)\""
        }
    }

    static func clientIsPublishedElsewhere(_ client: HostedClient) -> Failure {
        Failure(
            .usage, "client_published_elsewhere",
            "another machine publishes the client \(client.name.escapedForTerminal); change it there",
            hint: "bskyauth client keys \(client.name.escapedForTerminal.shellQuoted)")
    }

    static func noSuchKey(_ client: HostedClient, _ label: String) -> Failure {
        Failure(
            .usage, "no_client_key",
            "the client \(client.name.escapedForTerminal) has no key \"\(label.escapedForTerminal)\"",
            hint: "bskyauth client keys \(client.name.escapedForTerminal.shellQuoted)")
    }

    static func keyMayBeNeeded(_ client: HostedClient, _ label: String) -> Failure {
        Failure(
            .usage, "client_key_needed",
            "sessions may need the key \(label.escapedForTerminal), and without it they can't be refreshed or logged out; "
                + "look first, then add --force",
            hint: "bskyauth client keys \(client.name.escapedForTerminal.shellQuoted)")
    }

    static func clientMayBeNeeded(_ client: HostedClient) -> Failure {
        Failure(
            .usage, "client_needed",
            "sessions may need the client \(client.name.escapedForTerminal), and without it they can't be refreshed or "
                + "logged out; log out of them first, or add --force",
            hint: "bskyauth client keys \(client.name.escapedForTerminal.shellQuoted)")
    }
}

extension LoginTerms {
    var isConfidential: Bool {
        if case .oauth(_, let client?) = self { client.isConfidential } else { false }
    }

    /// The command that checks the client of the login, or who can do it.
    var checkCommand: String {
        guard case .oauth(_, let client?) = self else { return "bskyauth client list" }
        if let backend = client.backend { return "ask the operator of \(backend.origin)" }
        return "bskyauth client check \(client.id.description.escapedForTerminal.shellQuoted)"
    }
}
