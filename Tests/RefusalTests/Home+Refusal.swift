import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension Home {
    /// What opens pages at a sandbox that approves by itself.
    static let curl = "curl -sSL -o /dev/null"

    /// Runs a command to its end, perhaps inside of another program (`setsid`, a terminal).
    ///
    /// - Parameter more: variables; nil takes one away.
    func attempt(
        _ arguments: [String], inside wrapper: [String] = [], browser: String? = nil,
        environment more: [String: String?] = [:]
    ) async throws -> Program.Result {
        var variables = environment
        if let browser { variables["BSKYAUTH_TEST_BROWSER"] = browser }
        for (name, value) in more { variables[name] = value }
        return try await Program.run(
            "/usr/bin/env", wrapper + [Paths.program] + arguments, environment: variables,
            directory: directory)
    }

    /// Runs a command that has to be refused as one reader has it, and checks everything that is the same for
    /// all of them: words and status, no output, no secret, a vault as it was.
    ///
    /// - Parameter givesResults: whether the command reports per account on standard output.
    @discardableResult
    func expect(
        _ refusal: Refusal, of arguments: [String], for reader: Reader, givesResults: Bool = false,
        inside wrapper: [String] = [], browser: String? = nil, environment more: [String: String?] = [:],
        changesVault: Bool = false, secrets: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Program.Result {
        let before = try vaultContent()
        let result = try await attempt(
            arguments + reader.flags, inside: wrapper, browser: browser, environment: more)
        switch reader {
        case .script: refusal.expect(inJSON: result, sourceLocation: sourceLocation)
        case .person: refusal.expect(inWords: result, sourceLocation: sourceLocation)
        }
        #expect(!result.wasSignalled, sourceLocation: sourceLocation)
        if givesResults, reader == .script {
            let results = result.json?["results"] as? [[String: Any]]
            #expect(
                results?.compactMap { $0["error"] as? String }.contains(refusal.code) == true,
                "\(result.text)", sourceLocation: sourceLocation)
        } else {
            #expect(result.output.isEmpty, "\(result.text)", sourceLocation: sourceLocation)
        }
        let scan = SecretScan(known: secrets, harmless: [directory.path])
        #expect(
            scan.findings(in: result.text + result.errors).isEmpty, "\(result.errors)",
            sourceLocation: sourceLocation)
        if !changesVault {
            // A login may make the vault before it asks anybody; nothing else may be there.
            let after = try vaultContent().filter {
                before[$0.key] != nil || !["vault.json", "vault.json.copy"].contains($0.key)
            }
            #expect(after == before, sourceLocation: sourceLocation)
        }
        return result
    }

    /// Logs in at a sandbox that approves by itself; gives the account's id.
    @discardableResult
    func signIn(_ handle: String = "alice.test", _ options: String...) async throws -> String {
        let result = try await attempt(
            ["login", handle, "--json"] + options, environment: ["BSKYAUTH_BROWSER": Self.curl])
        try #require(result.status == 0, "\(result.errors)")
        return try #require((result.json?["account"] as? [String: Any])?["id"] as? String)
    }

    /// The accounts as `accounts --json` has them.
    func listing() async throws -> [[String: Any]] {
        let result = try await attempt(["accounts", "--json"])
        #expect(result.status == 0, "\(result.errors)")
        return try #require(result.json?["accounts"] as? [[String: Any]])
    }

    /// What the only account's session is said to be.
    func state() async throws -> String? {
        try await listing().first?["state"] as? String
    }
}
