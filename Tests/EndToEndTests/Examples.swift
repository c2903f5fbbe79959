import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// A place to run the examples of the documentation as they are written: a home with the two accounts that they name, a
/// vault with a key file, and the files that they read.
///
/// `gh`, `sudo` and `swift` are stand-ins. `gh` keeps secrets and variables in a directory (``GitHub``), and the others do
/// nothing.
struct Examples {
    let home: Home

    /// - Parameters:
    ///   - key: the variables that name the vault's key; nil for a key file.
    ///   - options: options of the sandbox.
    init(key: [String: String]? = nil, sandbox options: [String] = []) throws {
        let appPassword = "abcd-efgh-ijkl-mnop"
        let sandbox = try Sandbox(
            accounts: ["alice.example.com", "bot.example.com"],
            ["--auto-approve", "--app-password", "alice.example.com:\(appPassword)"] + options)
        home = try Home(sandbox, key: key, ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        let programs = try home.folder("programs")
        try FileManager.default.createSymbolicLink(
            atPath: programs.appending(path: "bskyauth").path, withDestinationPath: Paths.program)
        try FileManager.default.createSymbolicLink(
            atPath: programs.appending(path: "bskyauth-store-github").path,
            withDestinationPath: Paths.repository.appending(path: "packaging/ci/bskyauth-store-github").path)
        try Self.write("STATE='\(try home.folder("github").path)'; . '\(Paths.gh)'", as: "gh", in: programs)
        for name in ["sudo", "swift"] { try Self.write("true", as: name, in: programs) }
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

    /// Logs in to the two accounts. The first has a profile.
    func logIn() async throws {
        try await run(
            """
            bskyauth login alice.example.com; bskyauth login bot.example.com --label bot
            bskyauth call com.atproto.repo.putRecord at://alice.example.com/app.bsky.actor.profile/self \
                'record[displayName]=Alice'
            """)
    }
}
