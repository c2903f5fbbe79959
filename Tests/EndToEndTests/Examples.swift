import EndToEndSupport
import Foundation
import TestPrograms
import Testing

/// A place where the examples of documents are run as they are written: with the two accounts that they speak of,
/// a vault opened by a key file, and the files that they read.
///
/// `gh` and `swift` are stand-ins: the one stores what it is given in `stored`, the other builds nothing.
struct Examples {
    let home: Home

    /// - Parameter key: the variables that name the vault's key; nil for a key file.
    init(key: [String: String]? = nil) throws {
        let sandbox = try Sandbox(accounts: ["alice.example.com", "bot.example.com"], ["--auto-approve"])
        home = try Home(sandbox, key: key, ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        let folder = home.directory
        let programs = folder.appending(path: "programs")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: programs.appending(path: "bskyauth").path, withDestinationPath: Paths.program)
        let stored = folder.appending(path: "stored").path
        for (name, script) in [("gh", "cat > '\(stored)'"), ("swift", "true")] {
            let file = programs.appending(path: name)
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        let built = folder.appending(path: "Sandbox/.build/debug")
        try FileManager.default.createDirectory(at: built, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: built.appending(path: "bskyauth-sandbox").path, withDestinationPath: Paths.sandbox)
        for name in ["pass.txt", "new.txt"] {
            try Data("a long passphrase\n".utf8).write(to: folder.appending(path: name))
        }
        try Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) }).write(
            to: folder.appending(path: "photo.jpg"))
    }

    /// Where programs are looked for: the one that is tested, the stand-ins, and those of the machine.
    var path: String {
        home.directory.appending(path: "programs").path + ":" + (home.environment["PATH"] ?? "")
    }

    /// Runs a script to its end, with more variables than the home's; each of its commands has to succeed.
    @discardableResult
    func run(_ script: String, _ more: [String: String] = [:]) async throws -> Program.Result {
        let variables = home.environment.merging(["PATH": path]) { $1 }.merging(more) { $1 }
        let result = try await Program.run(
            "/bin/bash", ["-euo", "pipefail", "-c", script], environment: variables, directory: home.directory
        )
        #expect(result.status == 0, "\(script)\n\(result.errors)")
        return result
    }

    /// Logs in to the two accounts.
    func logIn() async throws {
        try await run("bskyauth login alice.example.com; bskyauth login bot.example.com --label bot")
    }
}
