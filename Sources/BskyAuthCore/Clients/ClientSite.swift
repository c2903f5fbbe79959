package import ATPJSON
package import ATPNetworking
internal import ATProtoOAuth
package import ATProtoSessions
internal import HTTPTypes
package import OAuthDPoP

/// Fetches the files of a client as servers do: without redirects, with bounds.
package struct ClientSite: Sendable {
    private let network: NetworkEnvironment

    package init(_ network: NetworkEnvironment) {
        self.network = network
    }

    /// The document as it is published now; nil if its host says that there is none (404, 410).
    ///
    /// - Throws: ``CoreError/clientDocument(_:_:)`` if servers would not take it.
    package func document(of client: HostedClient) async throws -> PublishedDocument? {
        let url = client.clientID.description
        func problem(_ problem: ClientDocumentProblem) -> CoreError { .clientDocument(url, problem) }
        let answer = try await fetch(url, accepting: "application/json")
        switch answer.status {
        case 200: break
        case 404, 410: return nil
        case 300..<400:
            throw problem(.redirect(answer.headerFields[.location].map { UntrustedText.harmless($0) }))
        default: throw problem(.status(answer.status))
        }
        guard answer.headerFields.mediaType == "application/json" else { throw problem(.mediaType) }
        guard let json = try? JSONParser.parse(answer.body), json.object != nil else {
            throw problem(.malformed)
        }
        guard json["client_id"]?.string == url else {
            throw problem(.clientID(UntrustedText.harmless(json["client_id"]?.string ?? "")))
        }
        return PublishedDocument(json: json)
    }

    /// Another file of the site, whatever its status.
    package func file(_ url: String) async throws -> FetchedResponse {
        try await fetch(url, accepting: "*/*")
    }

    private func fetch(_ text: String, accepting type: String) async throws -> FetchedResponse {
        let url: HTTPURL
        do { url = try HTTPURL(validating: text) } catch { throw CoreError.clientDocument(text, .malformed) }
        if let refusal = network.policy.refusal(of: url) {
            throw TransportError(.refused(refusal), requestWasSent: false, url: text)
        }
        let response = try await network.transport.send(
            TransportRequest(method: .get, url: url, headerFields: [.accept: type], timeouts: .metadata))
        let body = try await response.body.collect(upTo: Self.longest)
        return FetchedResponse(status: response.status, headerFields: response.headerFields, body: body)
    }

    /// What the reference server reads at most.
    private static let longest = 512_000
}

/// A published metadata document.
package struct PublishedDocument: Sendable {
    package let json: JSONValue

    package init(json: JSONValue) {
        self.json = json
    }

    private var entries: [JSONValue] { json["jwks"]?["keys"]?.array ?? [] }

    /// The keys that servers can read. They ignore others.
    package var keys: [PublicJWK] {
        entries.filter { $0["kid"]?.string != nil && $0["d"] == nil }.compactMap { PublicJWK(json: $0) }
    }

    /// Whether somebody published a private key.
    package var hasPrivateKey: Bool { entries.contains { $0["d"] != nil } }

    /// The entries of keys that a client neither has nor had. Another place may have added them. Private keys are left out:
    /// servers ignore them, and they must not be written again.
    package func keys(unknownTo client: HostedClient) -> [JSONValue] {
        let known = Set(client.keys.map(\.id) + client.removedKeyIDs)
        return entries.filter { entry in
            entry["d"] == nil && !known.contains(PublicJWK(json: entry)?.thumbprint ?? "")
        }
    }

    /// Where the document differs from the client's, by member. Keys are compared apart.
    package func differences(from client: HostedClient) -> [String] {
        let own = client.metadata().json.object?.members ?? []
        return own.filter { $0.name != "jwks" && json[$0.name] != $0.value }.map(\.name)
    }
}

/// Why servers do not take a client's metadata document.
package enum ClientDocumentProblem: Error, Sendable, Hashable {
    case redirect(String?)
    case status(Int)
    case mediaType
    case malformed
    /// It names another client.
    case clientID(String)
}
