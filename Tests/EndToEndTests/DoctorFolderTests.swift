import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("The doctor's look at folders")
    struct DoctorFolderTests {
        /// Runs the doctor as a user that permissions count for.
        private func examine(_ home: Home) async throws -> (status: Int32, report: DoctorTests.Report) {
            let result = try await run(home, ["doctor"])
            return (result.status, try JSONDecoder().decode(DoctorTests.Report.self, from: result.output))
        }

        private func run(_ home: Home, _ arguments: [String]) async throws -> Program.Result {
            var command = [Paths.program] + arguments + ["--json"]
            if geteuid() == 0 {
                let nobody = "65534"
                let path = home.directory.path
                let change = try await Program.run(
                    "/usr/bin/env", ["chown", "-R", nobody, path], environment: home.environment,
                    directory: home.directory)
                try #require(change.status == 0, "\(change.errors)")
                command = ["setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups"] + command
            }
            return try await Program.run(
                "/usr/bin/env", command, environment: home.environment, directory: home.directory)
        }

        private func setMode(_ mode: Int, _ folder: URL) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
        }

        @Test("a home in which no vault can be made")
        func noVault() async throws {
            let home = try Home(try Sandbox())
            try setMode(0o500, home.directory)
            let (status, report) = try await examine(home)
            try setMode(0o700, home.directory)
            #expect(status == 1)
            let vault = try #require(report["vault"])
            #expect(vault.verdict == "failed" && vault.error == "vault_unwritable", "\(vault)")
            #expect(vault.message.contains("no file can be created in \(home.directory.path): "), "\(vault)")
            #expect(vault.hint == "ls -ld \(home.directory.path)")
            let cache = try #require(report["cache"])
            #expect(cache.verdict == "warning" && cache.hint == vault.hint, "\(cache)")
            #expect(try await examine(home).status == 0)
        }

        @Test("a vault that can't be changed", arguments: ["", "accounts", "locks"])
        func readOnly(folder: String) async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            #expect(try await examine(home).status == 0)
            let part = folder.isEmpty ? home.vault : home.vault.appending(path: folder)
            try setMode(0o500, part)
            let (status, report) = try await examine(home)
            try setMode(0o700, part)
            #expect(status == 1)
            let vault = try #require(report["vault"])
            #expect(vault.error == "vault_unwritable" && vault.hint == "ls -ld \(part.path)", "\(vault)")
            #expect(report["key"]?.verdict == "ok" && report["servers"]?.verdict == "ok")
        }

        @Test("a command that can't change the vault says so, and not that it is damaged")
        func change() async throws {
            let home = try Home(try Sandbox())
            let alice = try await home.logIn("alice.test")
            try await home.logIn("bob.test")
            _ = try await run(home, ["accounts"])
            let account = home.vault.appending(path: "accounts/\(alice.id)")
            for (folder, command) in [
                (home.vault, ["switch", "bob.test"]), (account, ["refresh", "--force", alice.id]),
            ] {
                try setMode(0o500, folder)
                let refused = try await run(home, command)
                let listed = try await run(home, ["accounts"])
                try setMode(0o700, folder)
                #expect(listed.status == 0, "\(listed.errors)")
                #expect(refused.status == 1, "\(refused.errors)")
                #expect(refused.errorLine?.code == "vault_unwritable", "\(refused.errors)")
                #expect(refused.errorLine?.message.contains("the vault can't be changed: ") == true)
                #expect(refused.errorLine?.hint == "ls -ld \(folder.path)")
                #expect(try await run(home, command).status == 0)
            }
        }

        @Test(
            "locks that the file system refuses, or that keep nobody out, are named by the doctor and at the first login",
            .enabled(
                if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), "strace is not there"),
            arguments: ["error=ENOLCK", "error=EOPNOTSUPP", "retval=0"])
        func noLocks(answer: String) async throws {
            let home = try Home(try Sandbox())
            func run(_ arguments: String...) async throws -> Program.Result {
                try await Program.run(
                    "/usr/bin/strace",
                    [
                        "-f", "-qq", "-o", "/dev/null", "-e", "trace=flock", "-e", "inject=flock:\(answer)",
                        Paths.program,
                    ]
                        + arguments + ["--json"], environment: home.environment, directory: home.directory)
            }
            let hint = ":  findmnt --target \(home.vault.path)/locks"
            let login = try await run("login", "alice.test")
            #expect(login.status == 1 && login.errorLine?.code == "no_locks", "\(login.errors)")
            #expect(login.errorLine?.hint?.hasSuffix(hint) == true, "\(login.errors)")
            #expect(!FileManager.default.fileExists(atPath: home.vault.appending(path: "vault.json").path))
            try await home.logIn("alice.test")
            let doctor = try await run("doctor")
            let report = try JSONDecoder().decode(DoctorTests.Report.self, from: doctor.output)
            let vault = try #require(report["vault"])
            #expect(doctor.status == 1 && vault.error == "no_locks", "\(vault)")
            #expect(vault.message.contains("no locks that keep other processes out"), "\(vault)")
            #expect(vault.hint?.hasSuffix(hint) == true, "\(vault)")
        }

        @Test("a cache that can't be written is a warning")
        func cache() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let folder = home.directory.appending(path: "cache/bskyauth")
            try setMode(0o500, folder)
            let (status, report) = try await examine(home)
            try setMode(0o700, folder)
            #expect(status == 0)
            let cache = try #require(report["cache"])
            #expect(cache.verdict == "warning" && cache.hint == "ls -ld \(folder.path)", "\(cache)")
        }
    }
}
