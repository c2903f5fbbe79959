import ATPCryptography
import ATPJSON
import ATPPlatform
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import FoundationEssentials
import Testing

@Suite("Unlock cache", .enabled(if: Keyring.isPossible, "the kernel keeps no keys here"))
final class UnlockCacheTests {
    private let fixture: VaultFixture
    private let vault: CredentialVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.create()
    }

    deinit {
        for kind in ["vault", "unlock-end", "unlock-mark"] {
            _ = try? KernelKeyring.remove("bskyauth:\(kind):\(vault.id.text)")
        }
    }

    private func unlocked(at home: String? = nil) throws -> CredentialVault.Unlocked? {
        try CredentialVault.openUnlocked(at: home ?? fixture.home)
    }

    @Test("a vault opens without a key until it is locked")
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

    @Test("a mark is the same in every process, and ends with each lock of its vault")
    func marks() throws {
        let other = try VaultFixture().create()
        let ofOther = try #require(other.unlockMark())
        for _ in 0..<3 {
            let mark = try #require(vault.unlockMark())
            #expect(try fixture.open().unlockMark() == mark && vault.has(mark))
            _ = try CredentialVault.forgetKey(at: fixture.home)
            #expect(!vault.has(mark))
        }
        #expect(other.has(ofOther))
    }

    @Test("another vault does not get the key, even with the same id", .covers("B22"))
    func otherVault() throws {
        let other = try VaultFixture()
        let stranger = try other.create()
        _ = try stranger.unlock(forSeconds: 60, now: Date())
        #expect(try unlocked()?.until == nil)
        // The other vault's key, under this vault's name.
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

    @Test("a header that was changed without the key is not opened with the cached key")
    func forgedHeader() async throws {
        _ = try vault.unlock(forSeconds: 60, now: Date())
        let header = fixture.home + "/vault.json"
        let whole = try fixture.bytes(header)
        try await vault.addKey(.keyFile(path: fixture.base + "/key"), named: nil)
        #expect(try unlocked()?.until != nil)
        try fixture.write(Array(whole.dropLast(3)), header)
        let error = #expect(throws: VaultError.self) { try unlocked() }
        #expect(error?.changedFile == header)
    }

    @Test("a whole header with a code that another key made is not opened with the cached key")
    func forgedCode() throws {
        _ = try vault.unlock(forSeconds: 60, now: Date())
        try fixture.editHeader { members in
            members["code"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 32)))
        }
        #expect(try unlocked()?.until == nil)
    }

    @Test("a key whose time has passed is not used, even if the kernel still has it")
    func end() throws {
        let end = try vault.unlock(forSeconds: 60, now: Date(timeIntervalSinceNow: -61))
        #expect(try unlocked()?.until == nil)
        let known = try #require(try CredentialVault.unlockEnd(at: fixture.home))
        #expect(abs(known.timeIntervalSince(end)) < 0.01)
    }

    @Test("an end is known only after it, and not if the vault was locked before")
    func unknownEnd() throws {
        #expect(try CredentialVault.unlockEnd(at: fixture.home) == nil)
        _ = try vault.unlock(forSeconds: 60, now: Date())
        #expect(try CredentialVault.unlockEnd(at: fixture.home) == nil)
        _ = try vault.unlock(forSeconds: 60, now: Date(timeIntervalSinceNow: -61))
        #expect(try CredentialVault.forgetKey(at: fixture.home))
        #expect(try CredentialVault.unlockEnd(at: fixture.home) == nil)
    }
}

/// Whether add_key(2) and keyctl(2) are permitted. The seccomp filters of most containers forbid them.
private enum Keyring {
    static let isPossible: Bool = {
        do { return try !KernelKeyring.remove("bskyauth:test:never stored") } catch { return false }
    }()
}
