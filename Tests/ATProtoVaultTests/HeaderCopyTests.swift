import ATPPlatform
import ATProtoVault
import FoundationEssentials
import Testing

/// One damaged file may lose one account at most. A lost header would lose all of them.
@Suite("The second copy of the header") struct HeaderCopyTests {
    private let fixture: VaultFixture
    private let vault: CredentialVault
    private let id: UUID
    private var header: String { fixture.home + "/vault.json" }
    private var copy: String { header + ".copy" }

    init() throws {
        fixture = try VaultFixture()
        (vault, id) = try fixture.createWithAccount()
    }

    @Test("it exists from the start and equals the header after every change")
    func same() async throws {
        #expect(try fixture.bytes(copy) == fixture.bytes(header) && Disk.mode(copy) == 0o600)
        let old = try fixture.bytes(header)
        try await vault.addKey(.keyFile(path: fixture.base + "/key"), named: nil)
        #expect(try fixture.bytes(header) != old)
        #expect(try fixture.bytes(copy) == fixture.bytes(header))
        try await vault.removeKey(named: "key-file")
        #expect(try fixture.bytes(copy) == fixture.bytes(header))
        #expect(try vault.check().outdated.isEmpty)
    }

    @Test(
        "it replaces a header that is damaged or missing",
        arguments: [nil, [], [123, 125]] as [[UInt8]?])
    func restored(damage: [UInt8]?) throws {
        let whole = try fixture.bytes(header)
        if let damage { try fixture.write(damage, header) } else { try FileSystem.remove(header) }
        #expect(throws: VaultError.self) { try fixture.open() }
        let done = try #require(try CredentialVault.restoreHeader(at: fixture.home))
        #expect(done.summary == "vault.json restored")
        #expect(try fixture.bytes(header) == whole)
        #expect(text(try fixture.open().read(.session, of: id)) == "session of \(id)")
        #expect(try CredentialVault.restoreHeader(at: fixture.home)?.file == nil)
    }

    @Test("it replaces a header with any flipped bit")
    func flipped() throws {
        let whole = try fixture.bytes(header)
        try fixture.flippingEachBit(of: header) { byte in
            #expect(throws: VaultError.self, "byte \(byte)") { try fixture.open() }
            _ = try CredentialVault.restoreHeader(at: fixture.home)
            // A header with a newer format number is left as it is.
            if try fixture.bytes(header) != whole {
                let error = #expect(throws: VaultError.self) { try fixture.open() }
                var isNewer = false
                if case .newerFormat? = error { isNewer = true }
                #expect(isNewer, "byte \(byte): \(String(describing: error))")
            }
        }
    }

    @Test("a damaged copy is not used, and one written without the key opens nothing")
    func useless() throws {
        let whole = try fixture.bytes(header)
        try fixture.write([1], header)
        try fixture.write(Array(whole.dropLast()), copy)
        let left = try #require(try CredentialVault.restoreHeader(at: fixture.home))
        #expect(left.summary == "vault.json left")
        #expect(try fixture.bytes(header) == [1])

        let stranger = try VaultFixture()
        _ = try stranger.create()
        try fixture.write(try stranger.bytes(stranger.home + "/vault.json"), copy)
        _ = try CredentialVault.restoreHeader(at: fixture.home)
        let opened = try fixture.open()
        let error = #expect(throws: VaultError.self) { try opened.read(.session, of: id) }
        #expect(error?.changedFile == fixture.file(.session, id))
    }

    @Test("a missing or outdated copy is reported and renewed")
    func renewed() throws {
        try FileSystem.remove(copy)
        #expect(try vault.check().outdated == [copy])
        #expect(try vault.restoreHeaderCopy()?.summary == "vault.json.copy renewed")
        #expect(try fixture.bytes(copy) == fixture.bytes(header))
        #expect(try vault.restoreHeaderCopy()?.file == nil)
        try fixture.write([1, 2], copy)
        let check = try vault.check()
        #expect(check.findings.map(\.file) == [copy] && check.outdated.isEmpty)
        #expect(try vault.restoreHeaderCopy()?.file == copy)
        #expect(try vault.check().findings.isEmpty)
    }

    @Test(
        "an unsafe copy is reported, left by a repair, and removed with a key slot"
    )
    func unsafeCopy() async throws {
        try await vault.addKey(.keyFile(path: fixture.base + "/key"), named: nil)
        Disk.setMode(copy, 0o644)
        #expect(
            try vault.check().findings.map(\.error) == [.unsafePermissions(path: copy, mode: 0o644)])
        #expect(try vault.restoreHeaderCopy()?.summary == "vault.json.copy left")
        try await vault.removeKey(named: "key-file")
        #expect(try fixture.bytes(copy) == fixture.bytes(header) && Disk.mode(copy) == 0o600)
    }

    @Test("an undamaged header is not replaced")
    func whole() throws {
        let before = try fixture.contents()
        #expect(try CredentialVault.restoreHeader(at: fixture.home)?.file == nil)
        #expect(try fixture.contents() == before)
        #expect(try CredentialVault.restoreHeader(at: fixture.base + "/nowhere")?.file == nil)
    }
}
