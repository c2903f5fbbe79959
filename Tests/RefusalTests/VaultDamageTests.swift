import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite("Uses nothing of a vault that is not as it was written", .serialized, .fewAtOnce)
struct VaultDamageTests {
    /// Something done to the files of alice, in a vault that bob is in too.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let refusal: Refusal
        /// Which file the message has to name.
        let file: String
        /// Whether bob is beyond reach too.
        var hitsAll = false
        /// - Parameter file: the file named above.
        let apply: @Sendable (_ file: URL) throws -> Void
    }

    private static func damage(
        _ name: String, _ file: String, _ code: String, says: String, hitsAll: Bool = false,
        apply: @escaping @Sendable (URL) throws -> Void
    ) -> Damage {
        Damage(
            testDescription: "\(name): \(file)", refusal: Refusal(7, code, says: says), file: file,
            hitsAll: hitsAll, apply: apply)
    }

    private static let session = "accounts/ID/session"
    private static let profile = "accounts/ID/profile"

    static let damages =
        [session, profile].flatMap { file in
            [
                damage("cut short", file, "damaged", says: "is damaged") { file in
                    try Data(contentsOf: file).dropLast(7).write(to: file)
                },
                damage("empty", file, "damaged", says: "is damaged") { file in try Data().write(to: file) },
                damage("one bit of the content", file, "damaged", says: "is damaged") { file in
                    try flip(file, at: -20)
                },
                damage("one bit of the generation", file, "damaged", says: "is damaged") { file in
                    try flip(file, at: 50)
                },
                damage("a newer format", file, "newer_format", says: "newer bskyauth") { file in
                    try flip(file, at: 8)
                },
                damage("readable by others", file, "unsafe_permissions", says: "mode 644") { file in
                    try setMode(0o644, of: file)
                },
                damage("a link", file, "symlink", says: "is a symbolic link") { file in
                    let moved = file.appendingPathExtension("moved")
                    try FileManager.default.moveItem(at: file, to: moved)
                    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: moved)
                },
                damage("gone", file, "damaged", says: "is missing") { file in
                    try FileManager.default.removeItem(at: file)
                },
            ]
        } + [
            damage("readable by others", "accounts/ID", "unsafe_permissions", says: "mode 755") { file in
                try setMode(0o755, of: file)
            },
            damage("a link", "accounts/ID", "symlink", says: "is a symbolic link") { file in
                let moved = file.deletingLastPathComponent().appending(path: "../moved")
                try FileManager.default.moveItem(at: file, to: moved)
                try FileManager.default.createSymbolicLink(at: file, withDestinationURL: moved)
            },
            damage("readable by others", ".", "unsafe_permissions", says: "mode 755", hitsAll: true) { file in
                try setMode(0o755, of: file)
            },
            damage("readable by others", "vault.json", "unsafe_permissions", says: "644", hitsAll: true) {
                file in try setMode(0o644, of: file)
            },
            damage("cut short", "vault.json", "damaged", says: "is damaged", hitsAll: true) { file in
                try Data(contentsOf: file).dropLast(7).write(to: file)
            },
            damage("a newer format", "vault.json", "newer_format", says: "format 3", hitsAll: true) { file in
                let text = try String(contentsOf: file, encoding: .utf8)
                try Data(text.replacingOccurrences(of: #""format": 1"#, with: #""format": 3"#).utf8).write(
                    to: file)
            },
            damage("gone", "vault.json", "header_missing", says: "no vault.json", hitsAll: true) { file in
                try FileManager.default.removeItem(at: file)
            },
        ] + foreign

    /// Only root gives files away.
    private static let foreign =
        geteuid() != 0
        ? []
        : [profile, session, "accounts/ID"].map { file in
            damage("another user's", file, "foreign_owner", says: "belongs to another user") { file in
                try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: file.path)
            }
        }

    @Test("names the file, and the other account still works", arguments: damages)
    func damaged(damage: Damage) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        let id = try await home.signIn("alice.test")
        try await home.signIn("bob.test")
        let path = damage.file.replacingOccurrences(of: "ID", with: id)
        let file = path == "." ? home.vault : home.vault.appending(path: path)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
        try damage.apply(file)
        if damage.refusal.code == "damaged" || damage.refusal.code == "newer_format" {
            // Foundation replaces files; the mode is not what this is about.
            try? FileManager.default.setAttributes([.posixPermissions: mode as Any], ofItemAtPath: file.path)
        }
        try await sandbox.resetJournal()
        for reader in Reader.allCases {
            let result = try await home.expect(
                damage.refusal, of: ["call", "com.atproto.server.getSession", "-a", id], for: reader)
            #expect(
                result.errors.contains(path == "." ? home.vault.path : path)
                    || damage.refusal.code == "header_missing", "\(result.errors)")
        }
        #expect(try await Journal(sandbox).entries.isEmpty)
        guard !damage.hitsAll else { return }
        let call = try await home.attempt(["call", "com.atproto.server.getSession", "-a", "bob.test"])
        #expect(call.status == 0, "\(call.errors)")
        let list = try await home.attempt(["accounts", "--json"])
        #expect(list.status == 7 && list.errorLine?.code == damage.refusal.code, "\(list.errors)")
        let accounts = list.json?["accounts"] as? [[String: Any]] ?? []
        let states = accounts.compactMap { $0["state"] as? String }
        #expect(states.sorted() == ["ok", "unreadable"])
        // Of all, the others have their turn, and the exit tells.
        let all = try await home.attempt(["refresh", "--all", "--force", "--json"])
        #expect(all.status == 7 && all.errorLine?.code == damage.refusal.code, "\(all.errors)")
        let results = all.json?["results"] as? [[String: Any]] ?? []
        #expect(results.compactMap { $0["status"] as? String }.sorted() == ["failed", "refreshed"])
        let unknown = try await home.attempt(["call", "com.atproto.server.getSession", "-a", "nobody.test"])
        #expect(unknown.status == 6, "\(unknown.errors)")
    }

    @Test("follows its own advice: logging in again replaces a damaged session")
    func logInAgain() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        let id = try await home.signIn("alice.test")
        let session = home.vault.appending(path: Self.session.replacingOccurrences(of: "ID", with: id))
        for damage in [{ try Self.flip($0, at: -20) }, { try Data().write(to: $0) }] as [(URL) throws -> Void]
        {
            try damage(session)
            try Self.setMode(0o600, of: session)
            let again = try await home.signIn("alice.test")
            #expect(again == id)
            let call = try await home.attempt(["call", "com.atproto.server.getSession"])
            #expect(call.status == 0, "\(call.errors)")
        }
    }

    @Test("lets what can't be opened go by its UUID", arguments: Reader.allCases)
    func removeUnreadable(reader: Reader) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        let id = try await home.signIn("alice.test")
        let bob = try await home.signIn("bob.test")
        let profile = home.vault.appending(path: Self.profile.replacingOccurrences(of: "ID", with: id))
        try Self.flip(profile, at: -20)
        try await home.expect(
            Refusal(7, "damaged", says: "is damaged"), of: ["call", "com.atproto.server.getSession"],
            for: reader)
        let logout = try await home.attempt(["logout", id, "--local-only", "--json"])
        #expect(logout.status == 0, "\(logout.errors)")
        #expect((logout.json?["results"] as? [[String: Any]])?.first?["id"] as? String == id)
        #expect(try await home.listing().map { $0["id"] as? String } == [bob])
        try await home.signIn("alice.test")
        #expect(try await home.listing().count == 2)
    }

    private static func flip(_ file: URL, at offset: Int) throws {
        let handle = try FileHandle(forUpdating: file)
        defer { try? handle.close() }
        let place = offset < 0 ? try handle.seekToEnd() - UInt64(-offset) : UInt64(offset)
        try handle.seek(toOffset: place)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: place)
        try handle.write(contentsOf: Data([byte ^ 1]))
    }

    private static func setMode(_ mode: Int, of file: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }
}
