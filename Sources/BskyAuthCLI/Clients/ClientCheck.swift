internal import ATPCryptography
internal import ATPJSON
internal import ATPNetworking
internal import BskyAuthCore
internal import OAuthDPoP

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
            if client.kind == .web {
                try await checkPage(site)
                try await checkOrigin(site)
            }
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
        if document.hasPrivateKey {
            let text =
                "a private key is published; remove that key, and sign the app out at the account page of the server"
            findings.append(Finding(code: "private_key", text: text))
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
                    text:
                        "the published key \(key["kid"]?.string?.escapedForTerminal ?? "without a kid") is not known to this vault",
                    isFault: false))
        }
    }

    /// The page has to be the one of this version. What only headers can forbid is a warning, because some hosts set none.
    private mutating func checkPage(_ site: ClientSite) async throws {
        let answer = try await site.file(client.redirectURI)
        let place = client.redirectURI.escapedForTerminal
        if (300..<400).contains(answer.status) {
            // Some hosts leave out .html. Browsers keep the fragment with the answer.
            return findings.append(
                Finding(
                    code: "page_redirect", text: "\(place) redirects, so the page there is not checked",
                    isFault: false))
        }
        guard answer.status == 200 else {
            let text = "\(place) answered HTTP \(answer.status); a login ends there"
            return findings.append(Finding(code: "page", text: text))
        }
        if SHA256.hash(answer.body) != RelayPage.sha256 {
            findings.append(Finding(code: "page", text: "\(place) is not the page that this version writes"))
        }
        let missing = StaticSite.missingHeaders(in: answer.headerFields)
        if !missing.isEmpty {
            let text = "\(place) is served without these header fields: \(missing.joined(separator: ", "))"
            findings.append(Finding(code: "headers", text: text, isFault: false))
        }
    }

    /// Warns if the origin also serves something else.
    private mutating func checkOrigin(_ site: ClientSite) async throws {
        guard let url = try? HTTPURL(validating: client.base), url.path != "/" else { return }
        let answer = try await site.file("\(url.origin)/")
        guard answer.status == 200, answer.body != Array(IndexPage.html.utf8) else { return }
        findings.append(
            Finding(
                code: "shared_origin",
                text:
                    "\(url.origin)/ serves something else; every page of the same origin could take part in a login",
                isFault: false))
    }

    /// The next step. The files of a client that this vault publishes may be right already, but not be on the web host yet.
    var remedy: String {
        let name = client.name.escapedForTerminal.shellQuoted
        guard client.isPublished else {
            guard findings.contains(where: { $0.code == "key_missing" }) else {
                return
                    "another machine publishes \(client.base.escapedForTerminal); run there:  bskyauth client check \(name)"
            }
            return "add what `bskyauth client join` printed here, on the machine that publishes the client:  "
                + "bskyauth client keys NAME add LABEL --public FILE"
        }
        guard let directory = client.directory, !findings.contains(where: { $0.code == "private_key" }) else {
            return "bskyauth client write \(name)"
        }
        return
            "copy the files in \(directory.escapedForTerminal) to \(client.base.escapedForTerminal); to write them again:  "
            + "bskyauth client write \(name)"
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
