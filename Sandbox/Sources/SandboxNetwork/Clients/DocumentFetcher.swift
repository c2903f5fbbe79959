import Foundation
import Subprocess

/// Fetches client metadata documents with curl, under the rules of the reference server: https, no redirect,
/// status 200, JSON, 512 kB, a time limit (OP client-manager.ts:761-769).
struct DocumentFetcher: Sendable {
    static let sizeLimit = 512 * 1024

    let settings: SandboxConfiguration.ClientDocuments

    /// The JSON text at a URL.
    func fetch(_ id: HostedClientID) async throws(OAuthFailure) -> JSONValue {
        let output = try await curl(id)
        // curl writes the status and the type after the body.
        guard let end = output.lastIndex(of: UInt8(ascii: "\n")) else { throw Self.failure(id, "no answer") }
        let facts = String(decoding: output[(end + 1)...], as: UTF8.self).split(separator: " ")
        guard facts.first == "200" else { throw Self.failure(id, "status \(facts.first ?? "")") }
        guard facts.dropFirst().first?.prefix(while: { $0 != ";" }).lowercased() == "application/json" else {
            throw Self.failure(id, "not application/json")
        }
        guard end <= Self.sizeLimit else { throw Self.failure(id, "larger than 512 kB") }
        guard let json = try? JSONValue(parsing: Array(output[..<end])), json.members != nil else {
            throw Self.failure(id, "not a JSON object")
        }
        return json
    }

    static func failure(_ id: HostedClientID, _ reason: String) -> OAuthFailure {
        ClientDocument.invalid("Failed to fetch client information from \(id.url): \(reason)")
    }

    /// What curl writes.
    private func curl(_ id: HostedClientID) async throws(OAuthFailure) -> [UInt8] {
        let result: ExecutionResult<Void, BytesOutput, DiscardedOutput>
        do {
            // Above the limit there is room for what curl writes after the body.
            result = try await run(
                .name("curl"), arguments: Arguments(arguments(id.url)),
                output: .bytes(limit: Self.sizeLimit + 4096), error: .discarded)
        } catch {
            throw Self.failure(id, "\(error)")
        }
        switch result.terminationStatus {
        case .exited(0): return result.standardOutput
        case .exited(let status): throw Self.failure(id, "curl ended with \(status)")
        case .signaled(let signal): throw Self.failure(id, "signal \(signal) ended curl")
        }
    }

    private func arguments(_ url: String) -> [String] {
        [
            "-q", "--silent", "--globoff", "--path-as-is", "--proto", "=https", "--noproxy", "*",
            "--cacert", settings.authorities, "--max-time", String(settings.timeLimit.timeInterval),
            "--max-filesize", String(Self.sizeLimit), "--header", "accept: application/json",
            "--write-out", "\\n%{http_code} %{content_type}", "--url", url,
        ]
    }
}
