import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// Changes of the vault's keys that are killed, or that there is no room for, in real processes.
@Suite(
    "Key changes, killed", .serialized, .fewAtOnce,
    .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"))
struct KeyChangeTests {
    @Test(
        "at each file operation, the header is the old one or the new one, and opens every account",
        .covers("C12"))
    func everyStep() async throws {
        let home = try Home(try Sandbox(["--auto-approve"]))
        try await home.logIn("alice.test", environment: ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        let newKey = home.directory.appending(path: "new").path
        let passphrase = home.directory.appending(path: "passphrase")
        try Data("warhorse".utf8).write(to: passphrase)
        try await home.succeed("vault", "add-key", "--new-passphrase-file", passphrase.path)
        let backup = home.directory.appending(path: "backup")
        try FileManager.default.copyItem(at: home.vault, to: backup)
        /// As it was, without what the killed ones left: each run is to make the same calls.
        func restore() throws {
            try FileManager.default.removeItem(at: home.vault)
            try FileManager.default.copyItem(at: backup, to: home.vault)
            if FileManager.default.fileExists(atPath: newKey) {
                try FileManager.default.removeItem(atPath: newKey)
            }
        }
        let changes = [
            (["vault", "add-key", "--new-key-file", newKey], ["key-file", "passphrase", "key-file-2"]),
            (
                ["vault", "passwd", "--new-passphrase-file", passphrase.path], ["key-file", "passphrase"]
            ),
            (["vault", "remove-key", "passphrase"], ["key-file"]),
        ]
        for (arguments, names) in changes {
            let counts = try await SystemCalls.counts(of: arguments, in: home)
            #expect(counts["renameat", default: 0] > 0 && counts["fsync", default: 0] > 0)
            try restore()
            for (name, count) in counts {
                for number in 1...count {
                    let result = try await SystemCalls.run(
                        arguments, in: home, injecting: "\(name):signal=KILL:when=\(number)")
                    #expect(result.wasSignalled, "\(name) \(number)")
                    let status = try await home.succeed("vault", "status", "--json").json
                    let slots = (status?["slots"] as? [[String: Any]])?.compactMap { $0["label"] as? String }
                    #expect(slots == ["key-file", "passphrase"] || slots == names, "\(name) \(number)")
                    #expect(status?["state"] as? String == "unlocked")
                    try await home.succeed("vault", "verify")
                    try restore()
                }
            }
        }
    }

    @Test("that fail leave the header with a copy, whichever of the two headers it is")
    func failingSync() async throws {
        let home = try Home(try Sandbox(["--auto-approve"]))
        try await home.logIn("alice.test", environment: ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        let file = home.directory.appending(path: "passphrase")
        try Data("warhorse".utf8).write(to: file)
        try await home.succeed("vault", "add-key", "--new-passphrase-file", file.path)
        let before = try home.vaultContent()
        let backup = home.directory.appending(path: "backup")
        try FileManager.default.copyItem(at: home.vault, to: backup)
        let change = ["vault", "remove-key", "passphrase"]
        let count = try await SystemCalls.counts(of: change, in: home, names: ["fsync"])["fsync", default: 0]
        var changed = 0
        for number in 1...max(count, 1) {
            try FileManager.default.removeItem(at: home.vault)
            try FileManager.default.copyItem(at: backup, to: home.vault)
            let result = try await SystemCalls.run(
                change, in: home, injecting: "fsync:error=EIO:when=\(number)")
            guard result.status != 0 else { continue }
            let after = try home.vaultContent()
            #expect(
                after["vault.json"] != nil && after["vault.json"] == after["vault.json.copy"], "\(number)")
            if after["vault.json"] != before["vault.json"] { changed += 1 }
        }
        #expect(changed > 0)
    }

    @Test("on a full disk none happens, and the header keeps its second copy")
    func full() async throws {
        let home = try Home(try Sandbox(["--auto-approve"]))
        try await home.logIn("alice.test", environment: ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        let file = home.directory.appending(path: "passphrase")
        try Data("warhorse".utf8).write(to: file)
        let passphrase = ["--new-passphrase-file", file.path]
        try await home.succeed("vault", "add-key", "--new-passphrase-file", file.path)
        let before = try home.vaultContent()
        #expect(before["vault.json"] != nil && before["vault.json"] == before["vault.json.copy"])
        let changes = [
            ["vault", "add-key", "--label", "another"] + passphrase, ["vault", "passwd"] + passphrase,
            ["vault", "remove-key", "passphrase"], ["vault", "rekey", "--yes"],
        ]
        for arguments in changes {
            let (result, _) = try await SystemCalls.failing(
                arguments + ["--json"], in: home, injecting: "pwrite64:error=ENOSPC")
            #expect(
                result.status == 1 && result.errorLine?.code == "disk_full", "\(arguments): \(result.errors)")
            #expect(try home.vaultContent() == before, "\(arguments)")
        }
    }

    @Test(
        "a rekey that is killed at each file operation loses no account, and the next one finishes it",
        .covers("G10"))
    func rekey() async throws {
        let home = try Home(try Sandbox(["--auto-approve"]))
        let alice = try await home.logIn(
            "alice.test", environment: ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        let backup = home.directory.appending(path: "backup")
        try FileManager.default.copyItem(at: home.vault, to: backup)
        let counts = try await SystemCalls.counts(of: ["vault", "rekey"], in: home)
        #expect(counts["renameat", default: 0] > 6 && counts["fsync", default: 0] > 12)
        for (name, count) in counts {
            for number in 1...count {
                // The same session each time: none is refreshed meanwhile.
                try FileManager.default.removeItem(at: home.vault)
                try FileManager.default.copyItem(at: backup, to: home.vault)
                let result = try await SystemCalls.run(
                    ["vault", "rekey"], in: home, injecting: "\(name):signal=KILL:when=\(number)")
                #expect(result.wasSignalled, "\(name) \(number)")
                try await home.succeed("vault", "verify")
                let current = try await home.succeed("accounts", "current", "--json").json?["account"]
                #expect((current as? [String: Any])?["id"] as? String == alice.id, "\(name) \(number)")
                try await home.succeed("vault", "rekey")
                let status = try await home.succeed("vault", "status", "--json").json
                #expect(status?["rekeying"] as? Bool == false)
                try await home.succeed("accounts", "show", "alice.test")
            }
        }
    }
}
