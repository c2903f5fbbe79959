import Covers
import CredentialVault
import FoundationEssentials
import Platform
import Testing

@Suite("Unlocked vault", .enabled(if: Keyring.isPossible, "the kernel keeps no keys here"))
final class UnlockCacheTests {
    private let fixture: VaultFixture
    private let vault: CredentialVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.create()
    }

    deinit {
        _ = try? KernelKeyring.remove("bskyauth:vault:\(vault.id.text)")
    }

    private func unlocked(at home: String? = nil) throws -> CredentialVault.Unlocked? {
        try CredentialVault.openUnlocked(at: home ?? fixture.home)
    }

    @Test("opens without a key until it is locked")
    func opens() throws {
        let id = try VaultFixture.add(to: vault)
        #expect(try unlocked()?.until == nil)
        let end = try vault.unlock(forSeconds: 60, now: Date())
        let opened = try #require(try unlocked())
        #expect(text(try opened.vault.read(.session, of: id)) == "session of \(id)")
        #expect(abs(opened.until.timeIntervalSince(end)) < 0.01)
        #expect(try CredentialVault.forgetKey(at: fixture.home))
        #expect(try unlocked()?.until == nil)
        #expect(try !CredentialVault.forgetKey(at: fixture.home))
    }

    @Test("no other vault gets its key, not even one that claims its id", .covers("B22"))
    func otherVault() throws {
        let other = try VaultFixture()
        let stranger = try other.create()
        _ = try stranger.unlock(forSeconds: 60, now: Date())
        #expect(try unlocked()?.until == nil)
        // What was stored for the other one, under this one's name.
        var buffer = [UInt8](repeating: 0, count: 56)
        let length = try KernelKeyring.read("bskyauth:vault:\(stranger.id.text)", into: &buffer)
        #expect(length == buffer.count)
        try KernelKeyring.store(buffer, named: "bskyauth:vault:\(vault.id.text)", for: 60)
        #expect(try unlocked()?.until == nil)
        for content in [[1, 2, 3], buffer.dropLast(), buffer + [0]] as [[UInt8]] {
            try KernelKeyring.store(content, named: "bskyauth:vault:\(vault.id.text)", for: 60)
            #expect(try unlocked()?.until == nil)
        }
        #expect(try CredentialVault.forgetKey(at: other.home))
    }

    @Test("a header that was changed without the key is not opened with it")
    func forgedHeader() throws {
        _ = try vault.unlock(forSeconds: 60, now: Date())
        let header = fixture.home + "/vault.json"
        let whole = try fixture.bytes(header)
        try vault.addKey(.keyFile(path: fixture.base + "/key"), named: nil)
        #expect(try unlocked()?.until != nil)
        try fixture.write(Array(whole.dropLast(3)), header)
        let error = #expect(throws: VaultError.self) { try unlocked() }
        #expect(error?.changedFile == header)
    }

    @Test("an end that has passed by the clock is one, whatever the kernel still has")
    func end() throws {
        _ = try vault.unlock(forSeconds: 60, now: Date(timeIntervalSinceNow: -61))
        #expect(try unlocked()?.until == nil)
    }
}

/// Whether add_key(2) and keyctl(2) are let through; most containers' seccomp filters do not.
private enum Keyring {
    static let isPossible: Bool = {
        do { return try !KernelKeyring.remove("bskyauth:test:never stored") } catch { return false }
    }()
}
