import ArgumentParser
import Testing

@testable import BskyAuthCLI

@Suite("The key that opens the vault") struct VaultKeyPolicyTests {
    private static let variables: [(name: String, source: VaultKeySource)] = [
        ("BSKYAUTH_KEY_FILE", .keyFile("k")), ("BSKYAUTH_PASSPHRASE_FILE", .passphraseFile("p")),
        ("BSKYAUTH_PASSPHRASE_COMMAND", .passphraseCommand("pass show")),
        ("BSKYAUTH_PASSPHRASE", .passphraseVariable("s3cret")),
    ]

    private func policy(
        _ line: [String] = [], _ variables: [String: String] = [:], usesStoredKey: Bool = true
    ) throws -> VaultKeyPolicy {
        VaultKeyPolicy(
            try GlobalOptions.parse(line), Settings(environment: variables), usesStoredKey: usesStoredKey)
    }

    /// The source that opens a vault.
    private func used(_ policy: VaultKeyPolicy, isUnlocked: Bool) throws -> VaultKeySource? {
        try policy.order().first { $0 != .unlockCache || isUnlocked }
    }

    private func value(_ source: VaultKeySource) -> String {
        switch source {
        case .keyFile(let text), .passphraseFile(let text), .passphraseCommand(let text),
            .passphraseVariable(let text):
            text
        case .unlockCache, .desktopKeyring, .terminal: ""
        }
    }

    @Test(
        "is refused if two are named, with the names of those",
        arguments: [
            (["--key-file", "k", "--passphrase-file", "p"], [:], "--key-file or --passphrase-file"),
            (
                [], ["BSKYAUTH_KEY_FILE": "k", "BSKYAUTH_PASSPHRASE": "p"],
                "BSKYAUTH_KEY_FILE or BSKYAUTH_PASSPHRASE"
            ),
            (
                [], ["BSKYAUTH_PASSPHRASE_FILE": "f", "BSKYAUTH_PASSPHRASE_COMMAND": "c"],
                "BSKYAUTH_PASSPHRASE_FILE or BSKYAUTH_PASSPHRASE_COMMAND"
            ),
        ] as [([String], [String: String], String)])
    func several(line: [String], variables: [String: String], names: String) throws {
        let failure = try #require(throws: Failure.self) { try policy(line, variables).order() }
        #expect(failure.status == .usage)
        #expect(failure.message == "use only one key for the vault: \(names)")
    }

    @Test("is in the unlock cache, or the user is asked, if none is named") func unnamed() throws {
        #expect(try used(policy(), isUnlocked: true) == .unlockCache)
        #expect(try used(policy(), isUnlocked: false) == .terminal)
        #expect(try policy().named() == nil)
    }

    @Test("is the key file on the command line, whatever the environment names and the cache has")
    func keyFile() throws {
        for (name, source) in Self.variables {
            let policy = try policy(["--key-file", "own"], [name: value(source)])
            #expect(try policy.order() == [.keyFile("own")])
            #expect(try policy.named() == .keyFile("own"))
        }
    }

    @Test("is a passphrase only if the vault is locked, and the command line comes before the environment")
    func passphrase() throws {
        for (name, source) in Self.variables {
            let policy = try policy(["--passphrase-file", "own"], [name: value(source)])
            #expect(try used(policy, isUnlocked: true) == .unlockCache)
            #expect(try used(policy, isUnlocked: false) == .passphraseFile("own"))
        }
    }

    @Test("is the one that the environment names, a key file before the cache") func environment() throws {
        for (name, source) in Self.variables {
            let policy = try policy([], [name: value(source)])
            #expect(try used(policy, isUnlocked: false) == source)
            #expect(try used(policy, isUnlocked: true) == (source.isImmediate ? source : .unlockCache))
            #expect(try policy.named() == source)
        }
    }

    @Test("is in the desktop keyring only if none is named and the keyring may ask") func desktopKeyring()
        throws
    {
        let session = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus"]
        #expect(try policy([], session).order() == [.unlockCache, .desktopKeyring, .terminal])
        #expect(try policy([], session).order().filter(\.isImmediate) == [.unlockCache])
        #expect(try policy([], session, usesStoredKey: false).order() == [.terminal])
        #expect(try policy(["--no-input"], session).order() == [.unlockCache, .terminal])
        for variables in [["CI": "true"], ["BSKYAUTH_NO_INPUT": "1"], ["DBUS_SESSION_BUS_ADDRESS": ""]] {
            let order = try policy([], session.merging(variables) { $1 }).order()
            #expect(order == [.unlockCache, .terminal], "\(variables)")
        }
        for (name, source) in Self.variables {
            let order = try policy([], session.merging([name: value(source)]) { $1 }).order()
            #expect(!order.contains(.desktopKeyring), "\(name)")
        }
    }

    @Test("is not in the cache for a command that needs the key itself") func withItsKey() throws {
        #expect(try policy(usesStoredKey: false).order() == [.terminal])
        #expect(
            try policy(["--passphrase-file", "p"], usesStoredKey: false).order() == [.passphraseFile("p")])
    }

    @Test("is immediate only if it needs no passphrase") func immediate() throws {
        #expect(try policy().order().filter(\.isImmediate) == [.unlockCache])
        #expect(try policy(["--passphrase-file", "p"]).order().filter(\.isImmediate) == [.unlockCache])
        #expect(try policy(["--key-file", "k"]).order().filter(\.isImmediate) == [.keyFile("k")])
    }

    @Test("is refused if one place names two, though the vault is unlocked") func contradiction() throws {
        var refused = [try policy(["--key-file", "k", "--passphrase-file", "p"])]
        for (index, first) in Self.variables.enumerated() {
            for second in Self.variables[(index + 1)...] {
                refused.append(
                    try policy([], [first.name: value(first.source), second.name: value(second.source)]))
            }
        }
        #expect(refused.count == 7)
        for policy in refused {
            let failure = #expect(throws: Failure.self) { try policy.order() }
            #expect(failure?.status == .usage)
            #expect(throws: Failure.self) { try policy.named() }
        }
    }

    @Test("may be named twice in the environment if the command line names one") func overridden() throws {
        let both = ["BSKYAUTH_KEY_FILE": "k", "BSKYAUTH_PASSPHRASE": "s3cret"]
        #expect(try policy(["--key-file", "own"], both).named() == .keyFile("own"))
    }
}
