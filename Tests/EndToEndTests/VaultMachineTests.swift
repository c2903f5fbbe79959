import EndToEndSupport
import Foundation
import TestPrograms
import Testing

extension EndToEnd {
    @Suite("A vault on another machine")
    struct VaultMachineTests {
        static let machineID = "/etc/machine-id"

        static var isPossible: Bool {
            geteuid() == 0 && FileManager.default.fileExists(atPath: machineID)
        }

        /// Runs a command where the machine has another id.
        private func elsewhere(_ home: Home, _ arguments: String...) async throws -> Program.Result {
            let id = home.directory.appending(path: "machine-id")
            try Data("00000000000000000000000000000001\n".utf8).write(to: id)
            return try await Program.run(
                "/usr/bin/unshare",
                [
                    "--mount", "sh", "-c",
                    "mount --bind \"$0\" \(Self.machineID) && exec \"$@\"", id.path, Paths.program,
                ] + arguments, environment: home.environment, directory: home.directory)
        }

        @Test(
            "says once that two copies of a session end it, and works",
            .enabled(if: isPossible, "only root gives the machine another id"))
        func said() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let here = try await home.succeed("call", "com.atproto.server.getSession")
            #expect(!here.errors.contains("another machine"))
            let first = try await elsewhere(home, "call", "com.atproto.server.getSession")
            #expect(first.status == 0)
            #expect(first.errors.contains("this vault comes from another machine"), "\(first.errors)")
            let second = try await elsewhere(home, "call", "com.atproto.server.getSession")
            #expect(second.status == 0 && !second.errors.contains("another machine"), "\(second.errors)")
            let back = try await home.succeed("call", "com.atproto.server.getSession")
            #expect(!back.errors.contains("another machine"))
        }
    }
}
