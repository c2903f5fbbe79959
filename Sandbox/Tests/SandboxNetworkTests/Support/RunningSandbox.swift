@testable import SandboxNetwork

/// A sandbox that serves while a test runs.
struct RunningSandbox: Sendable {
    let origin: String

    func get(_ path: String, headers: [(String, String)] = []) async throws -> WireAnswer {
        try await WireClient.send("GET", origin + path, headers: headers)
    }

    func post(_ path: String, json: JSONValue) async throws -> WireAnswer {
        try await WireClient.send(
            "POST", origin + path, headers: [("content-type", "application/json")],
            body: Array(json.text.utf8))
    }

    func setFaults(_ faults: JSONValue) async throws {
        let answer = try await post("/_sandbox/faults", json: faults)
        guard answer.status == 200 else { throw Unexpected(answer: answer.text) }
    }

    func advanceClock(_ text: String) async throws {
        _ = try await post("/_sandbox/clock", json: ["advance": .string(text)])
    }

    func journal() async throws -> [JSONValue] {
        try await get("/_sandbox/journal").text.split(separator: "\n").map {
            try JSONValue(parsing: Array($0.utf8))
        }
    }

    struct Unexpected: Error {
        let answer: String
    }
}

/// Runs a sandbox in this process for the length of `body`.
func withSandbox<Result: Sendable>(
    _ change: (inout SandboxConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RunningSandbox) async throws -> Result
) async throws -> Result {
    var configuration = SandboxConfiguration()
    configuration.accounts = [
        .init(handle: "carol.pds.test"), .init(handle: "dave.pds.test", password: "other"),
    ]
    configuration.approvesUnasked = true
    change(&configuration)
    let network = try SandboxNetwork(configuration)
    let (urls, listening) = AsyncStream.makeStream(of: String.self)
    return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
            try await network.run { url in listening.yield(url) }
            return nil
        }
        group.addTask {
            for await url in urls { return try await body(RunningSandbox(origin: url)) }
            return nil
        }
        defer { group.cancelAll() }
        while let result = try await group.next() {
            if let result { return result }
        }
        throw RunningSandbox.Unexpected(answer: "the sandbox ended first")
    }
}
