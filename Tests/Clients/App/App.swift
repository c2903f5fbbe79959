import ATPNetworking
import ATProtoDNS
import ATProtoGateway
import ATProtoIdentity
import ATProtoRecordProof
import ATProtoSessions
import Foundation
import HTTPTypes
import JSON
import Networking
import OAuth
import Platform

/// An app: `bskyauth-client-app FOLDER COMMAND [ARGUMENT]`. It keeps its accounts in the folder, and writes a JSON object a
/// line.
@main struct App {
    private let store: CountingStore
    private let client: ATProtoClient
    private let transport: PlainTransport

    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        do {
            let app = try App(words.first ?? "sessions")
            try await app.run(words.dropFirst().first ?? "", words.dropFirst(2).first ?? "")
        } catch let failure as ATProtoFailure {
            let detail = (failure.cause as? TransportError)?.detail.map { " (\($0))" } ?? ""
            fail(failure.description + detail)
        } catch {
            fail("\(error)")
        }
    }

    private static func fail(_ words: String) {
        FileHandle.standardError.write(Data("\(words)\n".utf8))
        exit(1)
    }

    private init(_ folder: String) throws {
        let policy = NetworkPolicy()
        store = CountingStore(try FolderStorage(folder))
        transport = PlainTransport(policy: policy)
        client = ATProtoClient(
            as: .loopback(redirectURI: "http://127.0.0.1/callback"), store: store, transport: transport,
            identities: NetworkIdentities(
                transport: transport, textRecords: SystemTextRecords(), policy: policy), policy: policy)
    }

    private func run(_ command: String, _ argument: String) async throws {
        switch command {
        case "login": try await logIn(argument)
        case "calls": try await calls()
        case "records": try await records()
        case "describe": try await describe(argument)
        case "gateway": try await passOn(argument)
        case "logout": try await logOut()
        default: Self.fail("no such command: \(command)")
        }
    }

    private struct Profile: Decodable, Sendable {
        let did: String
        let handle: String
    }

    private func logIn(_ identifier: String) async throws {
        let account = try await client.login(identifier, with: Person())
        try write(line: ["did": account.did.description, "handle": account.handle?.description ?? "none"])
        let profile: Profile = try await client.agent(for: account.id).query("com.atproto.server.getSession")
        try write(line: ["session": profile.did])
    }

    /// The agent of the first account.
    private func agent() async throws -> Agent {
        guard let account = try await client.accounts.first else { throw CocoaError(.fileReadUnknown) }
        return client.agent(for: account.id)
    }

    /// Calls 50 times at once. A test looks at the process before and after it.
    private func calls() async throws {
        try write(line: ["ready": true])
        _ = readLine()
        let agent = try await agent()
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let profile: Profile = try await agent.query("com.atproto.server.getSession")
                    return profile.did
                }
            }
            return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        try write(line: ["answers": answers, "rotations": store.rotations])
        _ = readLine()
    }

    private struct Post: Codable, Sendable {
        var type = "app.bsky.feed.post"
        let text: String
        var createdAt = "2026-01-01T00:00:00Z"

        enum CodingKeys: String, CodingKey {
            case type = "$type"
            case text, createdAt
        }
    }

    private func records() async throws {
        let agent = try await agent()
        let collection = "app.bsky.feed.post"
        let made = try await agent.records.create(collection, Post(text: "hello"), key: "one")
        let read = try await agent.records.get(collection, "one", as: Post.self)
        try write(line: ["uri": made.uri, "text": read.value.text])
        try await prove(made)
        _ = try await agent.records.put(collection, "one", Post(text: "changed"), replacing: made.cid)
        var texts: [String] = []
        for try await page in try await agent.records.list(collection, as: Post.self) {
            texts += page.records.map(\.value.text)
        }
        try write(line: ["texts": texts])
        let blob = try await agent.uploadBlob(.bytes(Array("hello".utf8)), mediaType: "text/plain")
        try write(line: ["size": blob.size, "type": blob.mimeType])
        try await agent.records.delete(collection, "one")
        do {
            _ = try await agent.records.get(collection, "one", as: Post.self)
        } catch {
            try write(line: ["gone": error.error ?? "", "code": error.code == .xrpc])
        }
        let absence = try await client.verifiedRecord(made.uri)
        try write(line: ["absent": absence.cid == nil])
    }

    /// Proves a record of the account.
    private func prove(_ made: StrongReference) async throws {
        let proof = try await client.verifiedRecord(made.uri)
        guard case .text(let text)? = proof.record?["text"] else { throw CocoaError(.coderInvalidValue) }
        try write(line: ["proven": text, "same": proof.cid?.description == made.cid])
        do {
            _ = try await client.verifiedRecord("at://alice.example.com")
        } catch {
            try write(line: ["refused": error.code == .invalidArgument])
        }
    }

    /// Answers a request of somebody else as the first account: `GET /xrpc/…`, or `POST /xrpc/…` with a JSON body.
    private func passOn(_ line: String) async throws {
        guard let account = try await client.accounts.first else { throw CocoaError(.fileReadUnknown) }
        let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
        let request = GatewayRequest(
            method: parts[0] == "GET" ? .get : .post, target: parts[1],
            headerFields: [.contentType: "application/json", .authorization: "Bearer of-the-app"],
            body: parts.count == 3 ? .bytes(Array(parts[2].utf8)) : .none)
        let gateway = Gateway(
            limits: try AccessLimits(rules: ["app.bsky.feed.*", "repo:app.bsky.feed.post?action=create"]))
        let answer = await gateway.answer(request, as: client.agent(for: account.id))
        let body = try await answer.response.body.collect(upTo: 1 << 20)
        try write(line: [
            "status": answer.response.status, "body": String(decoding: body, as: UTF8.self),
            "failed": answer.failure != nil,
        ])
    }

    private func describe(_ server: String) async throws {
        struct Server: Decodable { let did: String }
        let agent = try Agent(anonymouslyAt: server, transport: transport)
        try write(line: [
            "server": try await agent.query("com.atproto.server.describeServer", as: Server.self).did
        ])
    }

    private func logOut() async throws {
        for account in try await client.accounts {
            try write(line: ["told": try await client.logOut(account.id)])
        }
        try write(line: ["left": try await client.accounts.count])
    }
}
