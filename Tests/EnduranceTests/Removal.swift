import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// An account that is removed under adverse conditions, as often as a test wants.
final class Removal: Sendable {
    enum Kind: Sendable {
        case logout, local, export
    }

    let sandbox: Sandbox
    let home: Home
    let key: String
    /// The bundle of an export.
    let bundle: String

    init(_ more: [String: String] = [:]) async throws {
        sandbox = try Sandbox(["--auto-approve"])
        home = try Home(
            sandbox,
            more.merging(["BSKYAUTH_NO_KEEPER": "1", "BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"]) { $1 })
        key = try home.recipientKey()
        bundle = home.directory.appending(path: "out.bundle").path
        try await home.logIn("alice.test")
    }

    var export: [String] { ["accounts", "export", "alice.test", "--to", bundle, "--recipient-key", key] }

    func command(_ kind: Kind) -> [String] {
        switch kind {
        case .logout: ["logout", "alice.test", "--json"]
        case .local: ["logout", "alice.test", "--local-only", "--json"]
        case .export: export
        }
    }

    /// The sessions that the server has.
    func liveSessions() async throws -> Int {
        struct Answer: Decodable {
            let sessions: [Session]
            struct Session: Decodable { let did: String }
        }
        return try JSONDecoder().decode(Answer.self, from: try await sandbox.get("/_sandbox/sessions"))
            .sessions
            .count
    }

    private var hasBundle: Bool { FileManager.default.fileExists(atPath: bundle) }

    /// Verifies that the command, the vault and the server agree.
    func verify(_ result: Program.Result, of kind: Kind, _ what: String = "") async throws {
        let words: Comment = "\(what): \(result.status), \(result.errors)"
        #expect(!result.wasSignalled, words)
        #expect(
            result.status == 0 || result.errors.contains("bskyauth: ") || result.errors.contains(#""error""#),
            words)
        let listed = try await home.run("accounts", "--json")
        #expect(listed.status == 0, "\(what): \(listed.errors)")
        let states = (listed.json?["accounts"] as? [[String: Any]] ?? []).map { $0["state"] as? String }
        let isLive = try await liveSessions() > 0
        #expect(try await home.run("vault", "verify").status == 0 || result.status != 0, words)
        // An account that seems to work, works.
        if states.contains("ok") { #expect(isLive, words) }
        if result.status == 0 { #expect(states.isEmpty, words) }
        switch kind {
        case .logout:
            if result.status == 0 { #expect(!isLive, words) }
            // A session that has ended is said to have ended, and one that lives is still here.
            if !isLive, result.status != 0 { #expect(result.errors.contains("ended at its server"), words) }
            if isLive { #expect(states == ["ok"], words) }
        case .local:
            #expect(isLive, words)
            if result.status != 0, states != ["ok"] {
                #expect(result.errors.contains("its session at the server was not ended"), words)
            }
        case .export:
            #expect(isLive, words)
            if result.status == 0 { #expect(hasBundle, words) }
            if hasBundle { #expect(result.errors.contains(bundle), words) }
            if !hasBundle { #expect(states == ["ok"], words) }
        }
    }

    /// Verifies that another machine can go on with the bundle.
    func verifyBundle() async throws {
        let other = try Home(sandbox, ["BSKYAUTH_NO_KEEPER": "1"])
        try await other.succeed("accounts", "import", bundle, "--recipient-key", key)
        try await other.succeed("refresh", "--force")
        try await other.succeed("call", "com.atproto.server.getSession")
        try await other.succeed("logout", "--all", "--yes")
    }

    /// A logout removes what is left. Then the person logs in again.
    func finish() async throws {
        if hasBundle {
            // What is left here does not harm the session in the bundle.
            if try await home.accounts().first?.state != "ok" {
                try await removeRest()
                try await verifyBundle()
            }
            try FileManager.default.removeItem(atPath: bundle)
        }
        try await removeRest()
        for account in ["alice.test"] where try await liveSessions() > 0 {
            // That of a logout with --local-only.
            try await home.logIn(account)
            try await sandbox.endSessions(of: try #require(try await home.accounts().first).did)
            try await removeRest()
        }
        try await home.logIn("alice.test")
    }

    private func removeRest() async throws {
        if try await home.accounts().isEmpty {
            // A directory without records.
            for id in try FileManager.default.contentsOfDirectory(
                atPath: home.vault.appending(path: "accounts").path)
            {
                try await home.succeed("logout", id, "--local-only")
            }
            return
        }
        let result = try await home.run("logout", "alice.test")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try await home.accounts().isEmpty)
    }
}

/// A vault whose first account is in the lower layer of an overlayfs, as one that is baked into an image.
struct Layers {
    static let arePossible: Bool = {
        guard geteuid() == 0 else { return false }
        return (try? String(contentsOfFile: "/proc/filesystems", encoding: .utf8))?.contains("overlay")
            == true
    }()

    static func run(_ test: (Removal) async throws -> Void) async throws {
        let removal = try await Removal()
        let layers = removal.home.directory.appending(path: "layers")
        let vault = removal.home.vault.path
        try FileManager.default.createDirectory(at: layers, withIntermediateDirectories: true)
        // The upper layer may not be in another overlayfs, which the files of a container are in.
        try await mount(["-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", layers.path])
        let outcome: Result<Void, any Error>
        do {
            for name in ["upper", "work"] {
                try FileManager.default.createDirectory(
                    at: layers.appending(path: name), withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            try await mount([
                "-t", "overlay", "-o",
                "lowerdir=\(vault),upperdir=\(layers.path)/upper,workdir=\(layers.path)/work",
                "overlay", vault,
            ])
            do { outcome = .success(try await test(removal)) } catch { outcome = .failure(error) }
            try await unmount(vault)
        } catch {
            try await unmount(layers.path)
            throw error
        }
        try await unmount(layers.path)
        try outcome.get()
    }

    private static func mount(_ arguments: [String]) async throws {
        let result = try await Program.run("/bin/mount", arguments, environment: Program.inheritedEnvironment)
        try #require(result.status == 0, "\(result.errors)")
    }

    private static func unmount(_ path: String) async throws {
        let result = try await Program.run("/bin/umount", [path], environment: Program.inheritedEnvironment)
        #expect(result.status == 0, "\(result.errors)")
    }
}
