import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Restoring a vault beside what can't be restored")
    struct VaultRestoreTests {
        private let home: Home
        private let alice: Account
        private var names: URL { home.vault.appending(path: "names") }

        init() async throws {
            home = try Home(try Sandbox())
            alice = try await home.logIn("alice.test")
        }

        private func setMode(_ mode: Int, _ file: URL) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        }

        private func damage(_ file: URL) throws {
            var data = try Data(contentsOf: file)
            data[data.count - 1] ^= 1
            try data.write(to: file)
        }

        private func outcomes(_ result: Program.Result) -> [String]? {
            (result.json?["results"] as? [[String: Any]])?.compactMap { $0["outcome"] as? String }
        }

        @Test("a link in the place of the index is said, and nothing that it leads to is removed")
        func link() async throws {
            let precious = try home.folder("precious")
            let file = precious.appending(path: "abcdef")
            try Data("mine".utf8).write(to: file)
            try setMode(0o700, precious)
            try setMode(0o600, file)
            try FileManager.default.removeItem(at: names)
            try FileManager.default.createSymbolicLink(at: names, withDestinationURL: precious)
            let result = try await home.run("vault", "restore", "--json")
            #expect(result.status == 7 && result.errorLine?.code == "symlink", "\(result.errors)")
            #expect(result.errorLine?.message.contains("\(names.path) is a symbolic link") == true)
            #expect(try Data(contentsOf: file) == Data("mine".utf8))
        }

        @Test("a list of names that others may read takes nothing from what is said of the rest")
        func openList() async throws {
            let session = home.vault.appending(path: "accounts/\(alice.id)/session")
            let lists = try FileManager.default.contentsOfDirectory(atPath: names.path).sorted()
                .map { names.appending(path: $0) }
            #expect(lists.count == 2)
            for open in lists {
                let other = try #require(lists.first { $0 != open })
                try setMode(0o644, open)
                try damage(other)
                try damage(session)
                let shown = try await home.run("vault", "restore")
                #expect(shown.status == 7)
                let words = ["restored: \(session.path)\n", "bskyauth: \(open.path) can be read or written"]
                for text in words { #expect(shown.errors.contains(text), "\(shown.errors)") }
                try damage(session)
                let result = try await home.run("vault", "restore", "--json")
                #expect(
                    result.status == 7 && result.errorLine?.code == "unsafe_permissions", "\(result.errors)")
                #expect(outcomes(result) == ["restored"])
                try setMode(0o600, open)
                let after = try await home.succeed("vault", "restore", "--json")
                #expect(outcomes(after) == ["discarded"])
                try await home.succeed("vault", "verify")
                try await home.succeed("call", "com.atproto.server.getSession", "-a", "alice.test")
            }
        }
    }
}
