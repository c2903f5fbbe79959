internal import ATProtoOAuth
internal import ATProtoSessions
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

/// A login that the authorization server refused, perhaps because of its client or its scopes. The same login would be refused
/// again, so its next step is another one.
struct RefusedRequest: LoginRefusal {
    let error: OAuthError
    let request: LoginRequest
    let now: Date

    var failure: Failure {
        let failure = ErrorPresenter.failure(SessionFailure.oauth(error, nil))
        guard case .response(let response) = error.code, (400..<500).contains(response.status) else {
            return failure
        }
        if response.error == "invalid_scope" { return explainingScopes(failure) }
        guard error.isAboutClient || response.saysClientID else { return failure }
        switch request.client {
        case .web(let client, let key): return explaining(failure, client, keyID: key.keyID)
        case .loopback where error.endpoint == .pushedAuthorizationRequest:
            var failure = failure
            failure.message +=
                ". The server may take no client without a document on the web, as bskyauth is without --client"
            failure.hint =
                "log in with a client of your own (bskyauth help client), or:  bskyauth login HANDLE --app-password"
            return failure
        default: return failure
        }
    }

    /// After a change of the document, servers use their copy of the earlier one for a while.
    private func explaining(_ failure: Failure, _ client: HostedClient, keyID: String) -> Failure {
        let mine = client.keys.filter { $0.secret != nil }
        guard let place = mine.firstIndex(where: { $0.id == keyID }) else { return failure }
        let key = mine[place]
        // The keys are in the order in which they were made.
        let earlier: HostedClient.Key? = place > 0 ? mine[place - 1] : nil
        let age = max(0, now.timeIntervalSince(key.addedAt))
        var failure = failure
        failure.message +=
            ". The login used the key \(key.label.escapedForTerminal), which was made \(TimeText.length(age)) ago. Servers keep their copy of a "
            + "client's document for 10 minutes to an hour, so they don't know a key that was published since"
        let check = "bskyauth client check \(client.name.escapedForTerminal.shellQuoted)"
        // Servers that have read the document since then know the key, or it is not published: the earlier key may be retired there.
        guard let earlier, age < Self.longestCopy else {
            failure.hint =
                "log in an hour after the key was published; to see whether it is:  \(check)"
            return failure
        }
        // The command puts the account and its other options in the place of HANDLE.
        failure.hint =
            "see whether the new key is published with \(check), or log in with the earlier one:  "
            + "bskyauth login HANDLE \(Self.keyOption)=\(earlier.label.escapedForTerminal.shellQuoted)"
        return failure
    }

    /// How long servers keep their copy of a client's document at most, in seconds.
    private static let longestCopy = 3600.0

    /// The option that names the key of a client.
    static let keyOption = "--client-key"

    /// The login without the permission sets that the server may not have found.
    private func explainingScopes(_ failure: Failure) -> Failure {
        var failure = failure
        let sets = request.scope.values.filter(Self.isSet)
        guard !sets.isEmpty else { return failure }
        failure.message +=
            ". The server could not use \(ScopeText.list(sets)): a permission set must be "
            + "published under its name"
        failure.hint = "correct its name, or leave it out:  bskyauth login HANDLE"
        return failure
    }

    var nextScopes: [String]? {
        guard case .response(let response) = error.code, response.error == "invalid_scope",
            request.scope.values.contains(where: Self.isSet)
        else { return nil }
        let others = request.scope.values.filter { !Self.isSet($0) && $0 != Scope.atproto }
        // Without any, the login would ask for more than this one did.
        return others.isEmpty ? [Scope.atproto] : others
    }

    private static func isSet(_ value: String) -> Bool {
        value.prefix { $0 != ":" && $0 != "?" } == "include"
    }
}

extension OAuthErrorResponse {
    /// Whether the words are about the name of the client.
    fileprivate var saysClientID: Bool {
        let words = description?.lowercased() ?? ""
        return ["client_id", "client id", "loopback"].contains(where: words.contains)
    }
}
