package import BskyAuthTestPrograms
internal import Foundation

/// A desktop session: a message bus of its own, and GNOME's keyring, which is unlocked.
package final class DesktopSession: Sendable {
    /// What the programs of the session have in their environment, beside their own.
    package let environment: [String: String]
    private let bus: Program.Server
    private let home: Home

    /// - Parameter home: where the keyring keeps its files.
    package init(_ home: Home) async throws {
        self.home = home
        let directory = try home.folder("session")
        var environment = home.environment.merging(["XDG_RUNTIME_DIR": directory.path]) { $1 }
        bus = try await Program.Server.start(
            "/usr/bin/dbus-daemon", ["--session", "--nofork", "--nopidfile", "--print-address"],
            environment: environment)
        self.environment = ["DBUS_SESSION_BUS_ADDRESS": bus.announcement, "BSKYAUTH_NO_INPUT": "0"]
        environment.merge(self.environment) { $1 }
        // It goes to the background when it is ready, and ends with the bus.
        let keyring = try await Program.run(
            "/usr/bin/gnome-keyring-daemon", ["--unlock", "--components=secrets"], environment: environment,
            input: Data("password of the keyring".utf8))
        guard keyring.status == 0 else {
            throw CommandFailed(arguments: ["gnome-keyring-daemon"], result: keyring)
        }
    }

    /// Runs `secret-tool` for the entry of a vault.
    package func secretTool(
        _ words: String..., vault: String, input: String? = nil
    ) async throws -> Program.Result {
        try await Program.run(
            "/usr/bin/secret-tool", words + ["application", "bskyauth", "vault", vault],
            environment: home.environment.merging(environment) { $1 }, input: input.map { Data($0.utf8) })
    }
}
