internal import BskyAuthCore
internal import JSON
internal import OAuth

/// What is wrong with the published files of a client.
struct ClientCheck {
    struct Finding {
        let code: String
        let text: String
        /// Whether logins or refreshes fail with it.
        var isFault = true
    }

    private let client: HostedClient
    private(set) var findings: [Finding] = []

    init(_ client: HostedClient, _ site: ClientSite) async throws {
        self.client = client
        do {
            guard let document = try await site.document(of: client) else {
                findings.append(
                    Finding(code: "not_published", text: "nothing is published at \(client.clientID)"))
                return
            }
            checkDocument(document)
        } catch CoreError.clientDocument(let url, let problem) {
            findings.append(Finding(code: "document", text: ErrorPresenter.words(problem, url)))
        }
    }

    private mutating func checkDocument(_ document: PublishedDocument) {
        // Another machine may publish other names and scopes.
        for member in client.isPublished ? document.differences(from: client) : [] {
            findings.append(
                Finding(code: "member", text: "\(member) in the document is not what this vault has"))
        }
        let published = Set(document.keys.map(\.thumbprint))
        for key in client.keys where !published.contains(key.id) {
            findings.append(
                Finding(code: "key_missing", text: "the key \(key.label.escapedForTerminal) is not published")
            )
        }
        for keyID in client.removedKeyIDs where published.contains(keyID) {
            findings.append(
                Finding(
                    code: "key_removed", text: "the removed key \(keyID) is still published", isFault: false))
        }
        for key in client.isPublished ? document.keys(unknownTo: client) : [] {
            findings.append(
                Finding(
                    code: "key_unknown",
                    text: "the published key \(key.thumbprint) is not known to this vault",
                    isFault: false))
        }
    }

    var json: JSONValue {
        [
            "schema": "bskyauth.client-check/1",
            "client_id": .string(client.clientID.description),
            "ok": .bool(!findings.contains(where: \.isFault)),
            "findings": .array(
                findings.map {
                    ["code": .string($0.code), "message": .string($0.text), "fault": .bool($0.isFault)]
                }),
        ]
    }
}
