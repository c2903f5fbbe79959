import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite("Never passes over a pin", .serialized, .fewAtOnce)
struct PinTests {
    private struct World {
        let sandbox: Sandbox
        let home: Home
        let pin: URL
        let alice: String

        /// Two accounts, of which alice is active, and a directory whose pin has this text.
        init(_ text: String) async throws {
            sandbox = try Sandbox(["--auto-approve"])
            home = try Home(sandbox)
            alice = try await home.signIn("alice.test")
            try await home.signIn("bob.test")
            pin = try home.folder("project").appending(path: ".bskyauth-account")
            try Data(text.utf8).write(to: pin)
        }

        func expect(_ refusal: Refusal) async throws {
            try await sandbox.resetJournal()
            for reader in Reader.allCases {
                for command in [
                    ["call", "com.atproto.server.getSession"], ["refresh"], ["accounts", "current"],
                    ["logout"],
                ] {
                    try await home.expect(
                        refusal, of: command, for: reader,
                        inside: ["-C", pin.deletingLastPathComponent().path])
                }
            }
            #expect(try await Journal(sandbox).entries.isEmpty)
        }
    }

    @Test(
        "that has anything but a UUID", .covers("G5"),
        arguments: [
            "", "\n", "alice.test", "0f8c2d1e", "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "evil\u{1b}[2J",
            "0f8c2d1e-0000-4000-8000-00000000000g", String(repeating: " ", count: 65),
        ])
    func malformed(text: String) async throws {
        try await World(text).expect(Refusal(6, "malformed_pin", says: "does not contain an account's UUID"))
    }

    @Test("of an account that is not in this vault")
    func unknown() async throws {
        let id = UUID().uuidString.lowercased()
        try await World(id + "\n").expect(Refusal(6, "unknown_account", says: id))
    }

    @Test("that others may write", .covers("G5"), arguments: [0o620, 0o602, 0o666])
    func writable(mode: Int) async throws {
        let world = try await World("")
        try Data(world.alice.utf8).write(to: world.pin)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: world.pin.path)
        try await world.expect(Refusal(7, "unsafe_pin", says: "can be written by others"))
        // Reading is nobody's harm.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: world.pin.path)
        let current = try await world.home.attempt(
            ["accounts", "current", "--json"], inside: ["-C", world.pin.deletingLastPathComponent().path])
        #expect(current.json?["source"] as? String == "pin")
    }

    @Test("that is a link, even to a good one")
    func link() async throws {
        let world = try await World("")
        let target = world.home.directory.appending(path: "target")
        try Data(world.alice.utf8).write(to: target)
        try FileManager.default.removeItem(at: world.pin)
        try FileManager.default.createSymbolicLink(at: world.pin, withDestinationURL: target)
        try await world.expect(Refusal(7, "unsafe_pin", says: "is a symbolic link"))
    }

    @Test("that is no file")
    func directory() async throws {
        let world = try await World("")
        try FileManager.default.removeItem(at: world.pin)
        try FileManager.default.createDirectory(at: world.pin, withIntermediateDirectories: false)
        try await world.expect(Refusal(7, "unsafe_pin", says: "is not a regular file"))
    }

    @Test("that belongs to another user", .enabled(if: getuid() == 0, "only root can give files away"))
    func foreign() async throws {
        let world = try await World("")
        try Data(world.alice.utf8).write(to: world.pin)
        try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: world.pin.path)
        try await world.expect(Refusal(7, "unsafe_pin", says: "belongs to another user"))
    }
}
