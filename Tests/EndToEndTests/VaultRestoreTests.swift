import EndToEndSupport
import Foundation
import TestPrograms
import Testing

extension EndToEnd {
    @Suite("Restoring a vault beside what can't be restored")
    struct VaultRestoreTests {
        private let home: Home
        private var names: URL { home.vault.appending(path: "names") }

        init() async throws {
            home = try Home(try Sandbox())
            try await home.logIn("alice.test")
        }

        @Test("a link in the place of the index is said, and nothing that it leads to is removed")
        func link() async throws {
            let precious = try home.folder("precious")
            let file = precious.appending(path: "abcdef")
            try Data("mine".utf8).write(to: file)
            for (path, mode) in [(precious.path, 0o700), (file.path, 0o600)] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            }
            try FileManager.default.removeItem(at: names)
            try FileManager.default.createSymbolicLink(at: names, withDestinationURL: precious)
            let result = try await home.run("vault", "restore", "--json")
            #expect(result.status == 7 && result.errorLine?.code == "symlink", "\(result.errors)")
            #expect(result.errorLine?.message.contains("\(names.path) is a link") == true)
            #expect(try Data(contentsOf: file) == Data("mine".utf8))
        }
    }
}
