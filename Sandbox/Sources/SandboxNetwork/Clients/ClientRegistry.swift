import Foundation
import Synchronization

/// The clients of the authorization server, by client_id.
final class ClientRegistry: Sendable {
    private struct State {
        /// Documents that tests registered with `POST /_sandbox/clients`.
        var registered: [String: OAuthClient] = [:]
        /// Fetched documents, with the time they are forgotten.
        var fetched: [String: (client: OAuthClient, until: Date)] = [:]
    }

    private let clock: SandboxClock
    private let rules: ClientRules
    private let fetcher: DocumentFetcher?
    private let state = Mutex(State())

    init(clock: SandboxClock, rules: ClientRules, fetcher: DocumentFetcher?) {
        self.clock = clock
        self.rules = rules
        self.fetcher = fetcher
    }

    /// Registers a client metadata document. It replaces the client's document at once.
    func register(_ document: JSONValue) throws(OAuthFailure) {
        guard let id = document["client_id"]?.string.flatMap({ HostedClientID($0) }) else {
            throw ClientDocument.invalid("client_id is not a canonical https URL with a path")
        }
        let client = try ClientDocument(json: document, clientID: id.url).client(rules)
        state.withLock { $0.registered[id.url] = client }
    }

    /// Parses a loopback client_id, or finds the document of a hosted client.
    func find(_ clientID: String) async throws(OAuthFailure) -> OAuthClient {
        if clientID.hasPrefix("http://localhost") { return try .loopback(clientID, rules) }
        if let client = known(clientID) { return client }
        guard let id = HostedClientID(clientID) else {
            throw OAuthFailure(
                "invalid_client_metadata",
                "Unable to obtain client metadata for \"\(clientID)\": Invalid URL", reason: .clientUnknown,
                subject: clientID)
        }
        guard let fetcher else { throw DocumentFetcher.failure(id, "serve has no --client-ca") }
        let client = try ClientDocument(json: await fetcher.fetch(id), clientID: id.url).client(rules)
        remember(client)
        return client
    }

    private func known(_ clientID: String) -> OAuthClient? {
        let now = clock.now
        return state.withLock { state in
            if let client = state.registered[clientID] { return client }
            return state.fetched[clientID].flatMap { $0.until > now ? $0.client : nil }
        }
    }

    /// Only valid documents are remembered, as on the reference server.
    private func remember(_ client: OAuthClient) {
        let until = clock.now.addingTimeInterval(rules.cacheLifetime.timeInterval)
        state.withLock { $0.fetched[client.clientID] = (client, until) }
    }
}
