import Foundation

@testable import SandboxNetwork

/// A password client that writes carol's repository and reads it as everybody can.
struct RepositoryClient: Sendable {
    static let did = PasswordClient.did
    static let collection = "app.bsky.feed.post"

    let client: PasswordClient
    let token: String

    func write(
        _ method: String, _ key: String, text: String? = nil, swapping: JSONValue? = nil
    ) async throws -> WireAnswer {
        var input: JSONValue = [
            "repo": .string(Self.did), "collection": .string(Self.collection), "rkey": .string(key),
        ]
        if let text {
            input.set(["$type": .string(Self.collection), "text": .string(text)], at: "/record")
        }
        if let swapping { input.set(swapping, at: "/swapRecord") }
        return try await client.call("POST", "com.atproto.repo.\(method)", token, body: input)
    }

    /// Sends several writes for one commit.
    func apply(_ writes: [JSONValue], _ more: JSONValue = [:], token: String? = nil) async throws
        -> WireAnswer
    {
        var input = more
        input.set(.string(Self.did), at: "/repo")
        input.set(.array(writes), at: "/writes")
        return try await client.call(
            "POST", "com.atproto.repo.applyWrites", token ?? self.token, body: input)
    }

    /// A write for `apply`.
    static func step(_ action: String, _ key: String?, text: String? = nil) -> JSONValue {
        var step: JSONValue = [
            "$type": .string("com.atproto.repo.applyWrites#\(action)"), "collection": .string(collection),
        ]
        if let key { step.set(.string(key), at: "/rkey") }
        if let text { step.set(["$type": .string(collection), "text": .string(text)], at: "/value") }
        return step
    }

    func latestCommit() async throws -> JSONValue {
        try await client.sandbox.get("/xrpc/com.atproto.sync.getLatestCommit?did=\(Self.did)").json
    }

    func repository() async throws -> RepositoryReader {
        try await read("/xrpc/com.atproto.sync.getRepo?did=\(Self.did)")
    }

    func proof(of key: String) async throws -> RepositoryReader {
        try await read(Self.proofPath(key))
    }

    static func proofPath(_ key: String) -> String {
        "/xrpc/com.atproto.sync.getRecord?did=\(did)&collection=\(collection)&rkey=\(key)"
    }

    func record(_ key: String) async throws -> JSONValue {
        try await client.sandbox.get(
            "/xrpc/com.atproto.repo.getRecord?repo=\(Self.did)&collection=\(Self.collection)&rkey=\(key)"
        ).json
    }

    /// Sets a fault of the repository, or removes it.
    func set(_ fault: RepositoryFault?) async throws {
        _ = try await client.change(
            "repositories", ["did": .string(Self.did), "fault": JSONValue(fault?.rawValue)])
    }

    private func read(_ path: String) async throws -> RepositoryReader {
        let answer = try await client.sandbox.get(path)
        guard answer.status == 200, answer.header("content-type") == "application/vnd.ipld.car" else {
            throw RunningSandbox.Unexpected(answer: answer.text)
        }
        return try RepositoryReader(answer.body)
    }
}

/// A sandbox where carol has the records `key0`, `key1` and so on.
func withRepository(
    _ count: Int, profile: ServerProfile = .official,
    _ body: @escaping @Sendable (RepositoryClient) async throws -> Void
) async throws {
    try await withPasswords(profile: profile) { client in
        let repository = RepositoryClient(client: client, token: try await client.login().access)
        for number in 0..<count {
            let answer = try await repository.write("putRecord", "key\(number)", text: "number \(number)")
            guard answer.status == 200 else { throw RunningSandbox.Unexpected(answer: answer.text) }
        }
        try await body(repository)
    }
}
