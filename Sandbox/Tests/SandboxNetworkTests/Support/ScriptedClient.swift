import Foundation

@testable import SandboxNetwork

/// An OAuth client. It behaves correctly, unless a test asks for a mistake.
struct ScriptedClient: Sendable {
    static let loopbackID =
        "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback&scope=atproto%20transition%3Ageneric"
    static let exactLoopbackID =
        "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%3A43117%2Fcallback"
        + "&scope=atproto%20transition%3Ageneric"
    static let redirectURI = "http://127.0.0.1:43117/callback"

    let sandbox: RunningSandbox
    let key = TestKey()
    var clientID = Self.loopbackID
    var scope = "atproto transition:generic"
    var redirectURI = Self.redirectURI
    /// The key of a confidential client.
    var assertion: Assertion?

    /// A login up to the authorization code.
    struct Grant: Sendable {
        let code: String
        let verifier: String
    }

    struct Tokens: Sendable {
        let access: String
        let refresh: String
    }

    // MARK: Requests

    /// Sends a request with a proof; `proof: nil` sends none.
    func send(
        _ method: String,
        _ path: String,
        type: String? = nil,
        body: String? = nil,
        proof: Proof? = .right,
        token: String? = nil,
        authorization: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> WireAnswer {
        var headers = headers
        if let type { headers.append(("content-type", type)) }
        if let authorization = authorization ?? token.map({ "DPoP " + $0 }) {
            headers.append(("authorization", authorization))
        }
        let url = sandbox.origin + path
        if let literal = proof?.literal {
            headers.append(("dpop", literal))
        } else if let proof {
            let (now, nonce) = try await timeAndNonce(for: path)
            headers.append(
                ("dpop", proof.text(key, method: method, url: url, nonce: nonce, now: now, token: token)))
        }
        return try await WireClient.send(method, url, headers: headers, body: body.map { Array($0.utf8) })
    }

    func form(_ path: String, _ fields: [(String, String)], proof: Proof? = .right) async throws -> WireAnswer
    {
        var fields = fields
        if let assertion {
            fields += assertion.fields(clientID, audience: sandbox.origin, now: try await now())
        }
        return try await send(
            "POST", path, type: "application/x-www-form-urlencoded", body: FormBody.encoded(fields),
            proof: proof)
    }

    func resource(
        _ token: String,
        proof: Proof? = .right,
        authorization: String? = nil
    ) async throws -> WireAnswer {
        try await send(
            "GET", "/xrpc/com.atproto.server.getSession", proof: proof, token: token,
            authorization: authorization)
    }

    func refresh(_ token: String, clientID: String? = nil, proof: Proof? = .right) async throws -> WireAnswer
    {
        try await form(
            "/oauth/token",
            [
                ("grant_type", "refresh_token"), ("refresh_token", token),
                ("client_id", clientID ?? self.clientID),
            ],
            proof: proof
        )
    }

    func exchange(_ grant: Grant, proof: Proof? = .right, _ edit: [String: String?] = [:]) async throws
        -> WireAnswer
    {
        let fields = [
            ("grant_type", "authorization_code"), ("code", grant.code), ("redirect_uri", redirectURI),
            ("code_verifier", grant.verifier), ("client_id", clientID),
        ]
        return try await form("/oauth/token", Self.edited(fields, edit), proof: proof)
    }

    func revoke(_ token: String?, clientID: String?, proof: Proof? = .right) async throws -> WireAnswer {
        let fields = [("token", token), ("client_id", clientID)].compactMap { name, value in
            value.map { (name, $0) }
        }
        return try await form("/oauth/revoke", fields, proof: proof)
    }

    // MARK: Login

    func push(_ edit: [String: String?] = [:], verifier: String) async throws -> WireAnswer {
        let fields = [
            ("client_id", clientID), ("response_type", "code"), ("code_challenge", TestKey.hash(verifier)),
            ("code_challenge_method", "S256"), ("state", "state-of-the-test"),
            ("redirect_uri", redirectURI),
            ("scope", scope), ("login_hint", "carol.pds.test"),
        ]
        return try await form("/oauth/par", Self.edited(fields, edit))
    }

    /// The path of the authorization page for a pushed request.
    func page(of pushed: WireAnswer) -> String {
        let uri = pushed.json["request_uri"]?.string ?? ""
        return "/oauth/authorize?" + FormBody.encoded([("client_id", clientID), ("request_uri", uri)])
    }

    /// Logs in up to the code. The sandbox approves without asking.
    func grant(verifier: String = TestKey.random(), _ edit: [String: String?] = [:]) async throws -> Grant {
        let opened = try await sandbox.get(page(of: try await push(edit, verifier: verifier)))
        guard let code = opened.redirectParameters.first(where: { $0.name == "code" })?.value else {
            throw RunningSandbox.Unexpected(answer: opened.text + (opened.header("location") ?? ""))
        }
        return Grant(code: code, verifier: verifier)
    }

    func login() async throws -> Tokens {
        try Self.tokens(in: try await exchange(try await grant()))
    }

    static func tokens(in answer: WireAnswer) throws -> Tokens {
        guard let access = answer.json["access_token"]?.string,
            let refresh = answer.json["refresh_token"]?.string
        else { throw RunningSandbox.Unexpected(answer: answer.text) }
        return Tokens(access: access, refresh: refresh)
    }

    // MARK: Helpers

    /// The sandbox's time and a fresh nonce for the role that serves a path.
    func timeAndNonce(for path: String) async throws -> (now: Int, nonce: String?) {
        let probe = path.hasPrefix("/oauth/") ? "POST" : "GET"
        let target = path.hasPrefix("/oauth/") ? "/oauth/par" : "/xrpc/com.atproto.server.getSession"
        let answer = try await WireClient.send(
            probe, sandbox.origin + target, body: probe == "POST" ? [] : nil)
        let now = try await now()
        if answer.nonce != nil || probe == "POST" { return (now, answer.nonce) }
        // Some servers send nonces only in answers to DPoP requests.
        let proof = Proof.withoutNonce.text(
            key, method: probe, url: sandbox.origin + target, nonce: nil, now: now, token: "none")
        let challenged = try await sandbox.get(
            target, headers: [("authorization", "DPoP none"), ("dpop", proof)])
        return (now, challenged.nonce)
    }

    func now() async throws -> Int {
        let clock = try await sandbox.post("/_sandbox/clock", json: [:])
        guard let text = clock.json["now"]?.string,
            let date = try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        else { throw RunningSandbox.Unexpected(answer: clock.text) }
        return Int(date.timeIntervalSince1970.rounded(.down))
    }

    static func edited(_ fields: [(String, String)], _ edit: [String: String?]) -> [(String, String)] {
        let kept = fields.compactMap { name, value -> (String, String)? in
            guard let change = edit[name] else { return (name, value) }
            return change.map { (name, $0) }
        }
        let added = edit.filter { name, _ in !fields.contains { $0.0 == name } }
            .compactMap { name, value in value.map { (name, $0) } }
        return kept + added
    }
}
