import EndToEndSupport
import Foundation
import TestPrograms
import Testing

/// A place to run the examples of the documentation as they are written: a home with the two accounts that they name, a
/// vault with a key file, and the files that they read.
///
/// `gh` and `swift` are stand-ins. `gh secret set NAME` stores a secret, and `swift` builds nothing.
struct Examples {
    let home: Home

    /// - Parameter key: the variables that name the vault's key; nil for a key file.
    init(key: [String: String]? = nil) throws {
        let appPassword = "abcd-efgh-ijkl-mnop"
        let sandbox = try Sandbox(
            accounts: ["alice.example.com", "bot.example.com"],
            ["--auto-approve", "--app-password", "alice.example.com:\(appPassword)"])
        home = try Home(sandbox, key: key, ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        let programs = try home.folder("programs")
        try FileManager.default.createSymbolicLink(
            atPath: programs.appending(path: "bskyauth").path, withDestinationPath: Paths.program)
        let secrets = try home.folder("secrets").path
        try Self.write("[ \"$1 $2\" = 'secret set' ] && cat > '\(secrets)'/\"$3\"", as: "gh", in: programs)
        try Self.write("true", as: "swift", in: programs)
        try FileManager.default.createSymbolicLink(
            atPath: try home.folder("Sandbox/.build/debug").appending(path: "bskyauth-sandbox").path,
            withDestinationPath: Paths.sandbox)
        let files = [
            "pass.txt": "a long passphrase", "new.txt": "a long passphrase", "app-password.txt": appPassword,
            "github-token.txt": "github_pat_1",
        ]
        for (name, text) in files {
            try Data("\(text)\n".utf8).write(to: home.directory.appending(path: name))
        }
        try Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) }).write(
            to: home.directory.appending(path: "photo.jpg"))
    }

    private static func write(_ script: String, as name: String, in folder: URL) throws {
        let file = folder.appending(path: name)
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }

    /// The search path: the program under test, the stand-ins, and the programs of the machine.
    var path: String {
        home.directory.appending(path: "programs").path + ":" + (home.environment["PATH"] ?? "")
    }

    /// A secret that `gh` has stored.
    func secret(_ name: String) throws -> String {
        try String(contentsOf: home.directory.appending(path: "secrets/\(name)"), encoding: .utf8)
    }

    /// Runs a script with variables in addition to those of the home. Each of its commands must succeed. Programs that it
    /// starts in the background end with it.
    @discardableResult
    func run(_ script: String, _ more: [String: String] = [:]) async throws -> Program.Result {
        let variables = home.environment.merging(["PATH": path]) { $1 }.merging(more) { $1 }
        let stopJobs = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"
        let result = try await Program.run(
            "/bin/bash", ["-euo", "pipefail", "-c", "\(stopJobs)\n\(script)"], environment: variables,
            directory: home.directory)
        #expect(result.status == 0, "\(script)\n\(result.errors)")
        return result
    }

    /// Logs in to the two accounts.
    func logIn() async throws {
        try await run("bskyauth login alice.example.com; bskyauth login bot.example.com --label bot")
    }
}
