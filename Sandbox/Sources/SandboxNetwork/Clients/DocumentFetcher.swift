import Foundation

/// Fetches client metadata documents with curl, under the rules of the reference server: https, no redirect,
/// status 200, JSON, 512 kB, a time limit (OP client-manager.ts:761-769).
struct DocumentFetcher: Sendable {
    static let sizeLimit = 512 * 1024

    let settings: SandboxConfiguration.ClientDocuments

    /// The JSON text at a URL.
    func fetch(_ id: HostedClientID) async throws(OAuthFailure) -> JSONValue {
        let output = await run(id.url)
        // curl writes the status and the type after the body.
        guard let end = output.bytes.lastIndex(of: UInt8(ascii: "\n")), output.status == 0 else {
            throw Self.failure(id, "curl ended with \(output.status)")
        }
        let facts = String(decoding: output.bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
        guard facts.first == "200" else { throw Self.failure(id, "status \(facts.first ?? "")") }
        guard facts.dropFirst().first?.prefix(while: { $0 != ";" }).lowercased() == "application/json" else {
            throw Self.failure(id, "not application/json")
        }
        guard end <= Self.sizeLimit else { throw Self.failure(id, "larger than 512 kB") }
        guard let json = try? JSONValue(parsing: Array(output.bytes[..<end])), json.members != nil else {
            throw Self.failure(id, "not a JSON object")
        }
        return json
    }

    static func failure(_ id: HostedClientID, _ reason: String) -> OAuthFailure {
        ClientDocument.invalid("Failed to fetch client information from \(id.url): \(reason)")
    }

    /// Runs curl with a file for its output, which needs no reader.
    private func run(_ url: String) async -> (status: Int32, bytes: [UInt8]) {
        let file = FileManager.default.temporaryDirectory.appending(path: "sandbox-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: file.path(), contents: nil)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["curl"] + arguments(url)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try? FileHandle(forWritingTo: file)
        process.standardError = FileHandle.nullDevice
        let status = await withCheckedContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(returning: -1) }
        }
        return (status, (try? Data(contentsOf: file)).map { [UInt8]($0) } ?? [])
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
