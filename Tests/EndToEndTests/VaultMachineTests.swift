import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("A vault on another machine")
    struct VaultMachineTests {
        /// Whether a process may have mounts of its own. In CI it is not left out unseen.
        static let isPossible: Bool = {
            if ProcessInfo.processInfo.environment["CI"] != nil { return true }
            do {
                let probe = try Program.Server(
                    "/usr/bin/unshare", ["--map-root-user", "--mount", "echo", "ready"],
                    environment: Program.inheritedEnvironment)
                return probe.announcement == "ready"
            } catch {
                return false
            }
        }()

        /// Runs a command on a machine of that number: with an /etc of its own, which has nothing else.
        private func onMachine(
            _ number: Int, _ home: Home, _ arguments: String...
        ) async throws -> Program.Result {
            let script = """
                mkdir -p "$0/etc" && cp /etc/ld.so.cache "$0/etc" && printf '%032d\\n' "$1" > "$0/etc/machine-id"
                mount --bind "$0/etc" /etc && shift && exec "$@"
                """
            return try await Program.run(
                "/usr/bin/unshare",
                [
                    "--map-root-user", "--mount", "sh", "-c", script, home.directory.path, "\(number)",
                    Paths.program,
                ] + arguments, environment: home.environment, directory: home.directory)
        }

        @Test(
            "says once that two copies of a session end it, and works", .covers("G10"),
            .enabled(if: isPossible, "nobody may mount here"))
        func said() async throws {
            let words = "this vault was copied from another machine"
            let home = try Home(try Sandbox())
            let call = ["call", "com.atproto.server.getSession"]
            let login = try await onMachine(1, home, "login", "alice.test")
            #expect(login.status == 0 && !login.errors.contains(words), "\(login.errors)")
            #expect(try await !onMachine(1, home, call[0], call[1]).errors.contains(words))
            // Who hears nothing is told later.
            let quiet = try await onMachine(2, home, call[0], call[1], "-q")
            #expect(quiet.status == 0 && quiet.errors.isEmpty, "\(quiet.errors)")
            let first = try await onMachine(2, home, call[0], call[1])
            #expect(first.status == 0 && first.errors.contains(words), "\(first.errors)")
            let second = try await onMachine(2, home, call[0], call[1])
            #expect(second.status == 0 && !second.errors.contains(words), "\(second.errors)")
            #expect(try await !onMachine(1, home, call[0], call[1]).errors.contains(words))
        }
    }
}
