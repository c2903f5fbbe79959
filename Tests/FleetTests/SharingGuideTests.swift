import BskyAuthEndToEnd
import BskyAuthTestPrograms
import BskyAuthTestStores
import Foundation
import Testing

/// Runs the examples of docs/sharing.md on three machines, with an etcd that asks for passwords.
@Suite("The guide to sharing", .enabled(if: FleetStore.isEtcd), .timeLimit(.minutes(5)))
struct SharingGuideTests {
    private let etcd: Etcd
    private let sandbox: Sandbox
    private let blocks: [DocumentPage.Block]

    init() async throws {
        etcd = try await Etcd.ready()
        sandbox = try Sandbox(accounts: ["alice.test"], ["--auto-approve"])
        blocks = try DocumentPage("docs/sharing.md").blocks
    }

    /// Runs the block that has these words.
    private func run(
        _ words: String, at home: Home, _ more: [String: String] = [:],
        replacing changes: [(String, String)] = []
    ) async throws {
        let block = try #require(blocks.first { $0.script.contains(words) }, "\(words)")
        let pairs =
            [
                ("etcd://bots@etcd1.example.com/bots", etcd.url("bots", user: "bots")),
                ("alice.example.com", "alice.test"),
            ] + changes
        let script = pairs.reduce(block.script) { $0.replacing($1.0, with: $1.1) }
        let folder = URL(filePath: Paths.program).deletingLastPathComponent().path
        var variables = home.environment.merging(more) { $1 }
        variables["PATH"] = "\(folder):\(variables["PATH"] ?? "")"
        let result = try await Program.run(
            "/bin/sh", ["-euc", script], environment: variables, directory: home.directory)
        #expect(result.status == 0, "docs/sharing.md:\(block.line): \(result.errors)")
    }

    private func machine(_ name: String, _ more: [String: String] = [:]) throws -> Home {
        let home = try Home(sandbox, Fleet.settings.merging(more) { $1 })
        try write("a long password\n", to: "password", at: home)
        return home
    }

    private func write(_ text: String, to name: String, at home: Home) throws {
        let file = home.directory.appending(path: name)
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    @Test("shares a vault from its first line to its last") func guide() async throws {
        let first = try machine("first")
        try await first.logIn("alice.test")
        // etcdctl reads passwords from the terminal.
        try await run(
            "auth enable", at: first,
            [
                "ETCDCTL_API": "3", "ETCDCTL_COMMAND_TIMEOUT": Etcd.timeout,
                "ETCDCTL_DIAL_TIMEOUT": Etcd.timeout,
                "ETCDCTL_ENDPOINTS": etcd.url("").replacing("etcd+http://", with: "http://"),
            ],
            replacing: [
                ("user add root", "user add root:secret"),
                ("user add bots", "user add 'bots:a long password'"),
            ])
        try await run("vault share --to", at: first)

        let durable = try machine("durable", ["BSKYAUTH_KEY_FILE": ""])
        let key = first.directory.appending(path: "bots.key")
        try FileManager.default.copyItem(at: key, to: durable.directory.appending(path: "bots.key"))
        try await run("--durable", at: durable)

        let runner = try machine("runner", ["CI": "1"])
        let content = try Data(contentsOf: key).base64EncodedString()
        try await run("--ephemeral", at: runner, ["KEY": content, "STORE_PASSWORD": "a long password"])

        try await run("--new-key-file new.key", at: first)
        let new = durable.directory.appending(path: "new.key")
        try FileManager.default.copyItem(at: first.directory.appending(path: "new.key"), to: new)
        let old = ["BSKYAUTH_KEY_FILE": durable.directory.appending(path: "bots.key").path]
        try await run("still with the old key file", at: durable, old)
        try await run("remove-key bots", at: first)
        try await durable.succeed("accounts", environment: ["BSKYAUTH_KEY_FILE": new.path])

        try await run("bskyauth vault status ", at: first)
        try await run("machines forget", at: first, replacing: [("forget", "forget --yes")])
        try await run("vault flush --repair", at: first)
        try await run("vault unshare", at: first, replacing: [("unshare", "unshare --yes")])
        #expect(try await first.run(call).status == 0)
    }
}
