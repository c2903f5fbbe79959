import Foundation
import Synchronization

/// The clients of the authorization server, by client_id.
final class ClientRegistry: Sendable {
    private let rules: ClientRules
    /// Documents that tests registered with `POST /_sandbox/clients`.
    private let registered = Mutex<[String: OAuthClient]>([:])

    init(rules: ClientRules) {
        self.rules = rules
    }

    /// Registers a client metadata document. It replaces the client's document at once.
    func register(_ document: JSONValue) throws(OAuthFailure) {
        guard let clientID = document["client_id"]?.string, clientID.hasPrefix("https://") else {
            throw ClientDocument.invalid("client_id is an https URL")
        }
        let client = try ClientDocument(json: document, clientID: clientID).client(rules)
        registered.withLock { $0[clientID] = client }
    }

    /// Parses a loopback client_id, or finds a registered client.
    func find(_ clientID: String) throws(OAuthFailure) -> OAuthClient {
        if clientID.hasPrefix("http://localhost") { return try .loopback(clientID, rules) }
        if let client = registered.withLock({ $0[clientID] }) { return client }
        let reason = URLComponents(string: clientID)?.host == nil ? "Invalid URL" : "Not found"
        throw OAuthFailure(
            "invalid_client_metadata", "Unable to obtain client metadata for \"\(clientID)\": \(reason)",
            reason: .clientUnknown, subject: clientID)
    }
}
