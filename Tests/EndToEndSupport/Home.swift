package import BskyAuthTestPrograms
package import Foundation
internal import Testing

/// A user of the program: a home of their own, a sandbox to talk to, and every command a new process.
package final class Home: Sendable {
    package let directory: URL
    package let sandbox: Sandbox
    /// What the program is started with; nothing of the test's own environment but `PATH` and
    /// `BSKYAUTH_NO_KEEPER`.
    package let environment: [String: String]

    /// - Parameter key: variables that open the vault; a key file where none are given.
    package init(_ sandbox: Sandbox, key: [String: String]? = nil, _ more: [String: String] = [:]) throws {
        self.sandbox = sandbox
        directory = FileManager.default.temporaryDirectory.appending(
            path: "bskyauth-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        var environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": directory.path,
            "BSKYAUTH_HOME": directory.appending(path: "vault").path,
            "XDG_CACHE_HOME": directory.appending(path: "cache").path,
            "BSKYAUTH_DEV_NETWORK": sandbox.address,
            "BSKYAUTH_NO_INPUT": "1",
            "BSKYAUTH_BROWSER": "\(Program.python) \(Paths.browser)",
        ]
        if let value = ProcessInfo.processInfo.environment["BSKYAUTH_NO_KEEPER"] {
            environment["BSKYAUTH_NO_KEEPER"] = value
        }
        environment.merge(key ?? ["BSKYAUTH_KEY_FILE": directory.appending(path: "key").path]) { $1 }
        environment.merge(more) { $1 }
        self.environment = environment
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// The vault's directory.
    package var vault: URL {
        environment["BSKYAUTH_HOME"].map { URL(filePath: $0) } ?? directory.appending(path: "vault")
    }

    /// Runs one command to its end. The browser accepts unless `browser` says otherwise (see browser.py).
    package func run(
        _ arguments: String..., input: Data? = nil, browser: String? = nil,
        environment more: [String: String] = [:], in folder: URL? = nil
    ) async throws -> Program.Result {
        try await run(arguments, input: input, browser: browser, environment: more, in: folder)
    }

    /// The same for arguments that are put together.
    package func run(
        _ arguments: [String], input: Data? = nil, browser: String? = nil,
        environment more: [String: String] = [:], in folder: URL? = nil
    ) async throws -> Program.Result {
        let result = try await Program.run(
            Paths.program, arguments, environment: variables(more, browser), input: input,
            directory: folder ?? directory)
        // These words are for errors of other libraries. Every error of this program has words of its own.
        #expect(!result.errors.contains("unexpected error"), "\(arguments.first ?? ""): \(result.errors)")
        return result
    }

    /// Makes a directory below the home.
    package func folder(_ path: String) throws -> URL {
        let folder = directory.appending(path: path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Starts a command and does not wait.
    package func start(
        _ arguments: String..., browser: String? = nil, environment more: [String: String] = [:]
    ) throws -> Program.Running {
        try Program.Running(
            Paths.program, arguments, environment: variables(more, browser), directory: directory)
    }

    /// The file with what one account's session learned of its servers.
    package func sessionCache(of account: Account) -> URL {
        directory.appending(path: "cache/bskyauth/sessions/\(account.id).json")
    }

    /// The files with what was found about names.
    package var identityCache: URL { directory.appending(path: "cache/bskyauth/identities") }

    /// What ten minutes do.
    package func forgetIdentities() throws {
        try FileManager.default.removeItem(at: identityCache)
    }

    /// Every file of the vault with its content, to show that nothing changed.
    package func vaultContent() throws -> [String: Data] {
        var content: [String: Data] = [:]
        guard let files = FileManager.default.enumerator(atPath: vault.path) else { return content }
        for case let name as String in files where !name.hasPrefix("locks/") {
            let file = vault.appending(path: name)
            if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                content[name] = try Data(contentsOf: file)
            }
        }
        return content
    }

    func variables(_ more: [String: String], _ browser: String?) -> [String: String] {
        var variables = environment
        if let browser { variables["BSKYAUTH_TEST_BROWSER"] = browser }
        return variables.merging(more) { $1 }
    }
}
