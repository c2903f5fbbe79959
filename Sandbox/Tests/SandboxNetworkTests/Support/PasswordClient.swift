@testable import SandboxNetwork

/// A client with password sessions.
struct PasswordClient: Sendable {
    let sandbox: RunningSandbox
    static let did =
        (try? AccountRegistry(clock: SandboxClock()).create(handle: "carol.pds.test", password: ""))?.did
        ?? ""

    struct Tokens: Sendable {
        let access: String
        let refresh: String
    }

    func create(_ identifier: String, _ password: String, factor: String? = nil) async throws -> WireAnswer {
        var input: JSONValue = ["identifier": .string(identifier), "password": .string(password)]
        if let factor { input.set(.string(factor), at: "/authFactorToken") }
        return try await sandbox.post("/xrpc/com.atproto.server.createSession", json: input)
    }

    func login(_ password: String = "hunter2") async throws -> Tokens {
        try Self.tokens(in: try await create("carol.pds.test", password))
    }

    /// A call with a Bearer token and nothing else.
    func call(_ method: String, _ nsid: String, _ token: String, body: JSONValue? = nil) async throws
        -> WireAnswer
    {
        var headers = [("authorization", "Bearer " + token)]
        if body != nil { headers.append(("content-type", "application/json")) }
        return try await WireClient.send(
            method, sandbox.origin + "/xrpc/" + nsid, headers: headers,
            body: body.map { Array($0.text.utf8) } ?? (method == "POST" ? [] : nil))
    }

    func getSession(_ token: String) async throws -> WireAnswer {
        try await call("GET", "com.atproto.server.getSession", token)
    }

    func refresh(_ token: String) async throws -> WireAnswer {
        try await call("POST", "com.atproto.server.refreshSession", token)
    }

    func delete(_ token: String) async throws -> WireAnswer {
        try await call("POST", "com.atproto.server.deleteSession", token)
    }

    func change(_ path: String, _ json: JSONValue) async throws -> JSONValue {
        let answer = try await sandbox.post("/_sandbox/" + path, json: json)
        guard answer.status == 200 else { throw RunningSandbox.Unexpected(answer: answer.text) }
        return answer.json
    }

    static func tokens(in answer: WireAnswer) throws -> Tokens {
        guard let access = answer.json["accessJwt"]?.string, let refresh = answer.json["refreshJwt"]?.string
        else { throw RunningSandbox.Unexpected(answer: answer.text) }
        return Tokens(access: access, refresh: refresh)
    }

    static func claims(_ token: String) -> JSONValue { CompactJWS(token)?.payload ?? .null }
}

/// A sandbox where carol has the app password `abcd-efgh-ijkl-mnop`.
func withPasswords<Result: Sendable>(
    profile: ServerProfile = .official,
    _ body: @escaping @Sendable (PasswordClient) async throws -> Result
) async throws -> Result {
    try await withSandbox({ configuration in
        configuration.profile = profile
        configuration.accounts = [
            .init(handle: "carol.pds.test", appPasswords: ["abcd-efgh-ijkl-mnop"]),
            .init(handle: "dave.pds.test", password: "other"),
        ]
    }) { sandbox in try await body(PasswordClient(sandbox: sandbox)) }
}
