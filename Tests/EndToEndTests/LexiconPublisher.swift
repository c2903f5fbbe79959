import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// Alice publishes lexicons of Tangled at a sandbox, and its name server says so.
struct LexiconPublisher {
    static let tree = "sh.tangled.repo.tree"
    private static let authority = "repo.tangled.sh"

    let sandbox: Sandbox
    /// Variables for those who look.
    let variables: [String: String]
    /// The lexicons that can be published, by name.
    let documents: [String: Any]
    private let home: Home

    init() async throws {
        sandbox = try Sandbox(accounts: ["alice.test", "bob.test"])
        home = try Home(sandbox)
        let names = try await sandbox.post("/_sandbox/names", #"{"name":"unused.test","texts":[]}"#)
        let answer = try JSONSerialization.jsonObject(with: names) as? [String: String]
        variables = ["BSKYAUTH_DNS_SERVER": try #require(answer?["dns"])]
        let file = try Data(
            contentsOf: Paths.repository.appending(path: "Tests/Fixtures/lexicons-tangled.json"))
        let all = try JSONSerialization.jsonObject(with: file) as? [String: Any]
        documents = try #require(all?["lexicons"] as? [String: Any])
        try await home.logIn("alice.test")
        try await name(["did=\(did)"])
    }

    var did: String {
        get async throws {
            try await home.succeed("resolve", "alice.test", "--get", ".did").text
                .trimmingCharacters(in: .newlines)
        }
    }

    /// Says in DNS who publishes.
    func name(_ texts: [String]) async throws {
        let body: [String: Any] = ["name": "_lexicon.\(Self.authority)", "texts": texts]
        let json = try JSONSerialization.data(withJSONObject: body)
        try await sandbox.post("/_sandbox/names", String(decoding: json, as: UTF8.self))
    }

    /// Publishes a lexicon under a name, with members that differ.
    func publish(_ nsid: String, changing changes: [String: Any] = [:]) async throws {
        let document = try #require(documents[nsid] as? [String: Any])
        try await publish(nsid, document.merging(changes) { $1 })
    }

    func publish(_ nsid: String, _ document: [String: Any]) async throws {
        let document = ["$type": "com.atproto.lexicon.schema"].merging(document) { $1 }
        let file = home.directory.appending(path: "lexicon.json")
        try JSONSerialization.data(withJSONObject: document).write(to: file)
        try await home.succeed(
            "call", "com.atproto.repo.putRecord", "collection=com.atproto.lexicon.schema", "rkey=\(nsid)",
            "--file", "record:=\(file.path)", "--no-check")
    }

    func remove(_ nsid: String) async throws {
        try await home.succeed(
            "call", "com.atproto.repo.deleteRecord", "collection=com.atproto.lexicon.schema",
            "rkey=\(nsid)")
    }

    /// Gives the repository a fault; nil takes it away.
    func fault(_ name: String?) async throws {
        let name = name.map { "\"\($0)\"" } ?? "null"
        try await sandbox.post("/_sandbox/repositories", #"{"handle":"alice.test","fault":\#(name)}"#)
    }
}
