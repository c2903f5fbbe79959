import CredentialVault
import FoundationEssentials
import Platform
import Testing

/// One damaged file loses one account at most, and the header is every account's.
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

    @Test("is there with a vault, and as the header after every change of it")
    func same() throws {
        #expect(try fixture.bytes(copy) == fixture.bytes(header) && Disk.mode(copy) == 0o600)
        let old = try fixture.bytes(header)
        try vault.addKey(.keyFile(path: fixture.base + "/key"), named: nil)
        #expect(try fixture.bytes(header) != old)
        #expect(try fixture.bytes(copy) == fixture.bytes(header))
        try vault.removeKey(named: "key-file")
        #expect(try fixture.bytes(copy) == fixture.bytes(header))
        #expect(try vault.check().outdated.isEmpty)
    }

    @Test(
        "takes the place of a header that is damaged or gone",
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

    @Test("every bit of the header may flip")
    func flipped() throws {
        let whole = try fixture.bytes(header)
        try fixture.flippingEachBit(of: header) { byte in
            #expect(throws: VaultError.self, "byte \(byte)") { try fixture.open() }
            _ = try CredentialVault.restoreHeader(at: fixture.home)
            // A format that says that it is newer is left alone: it may be.
            if try fixture.bytes(header) != whole {
                let error = #expect(throws: VaultError.self) { try fixture.open() }
                var isNewer = false
                if case .newerFormat? = error { isNewer = true }
                #expect(isNewer, "byte \(byte): \(String(describing: error))")
            }
        }
    }

    @Test("a damaged one is of no use, and what somebody else wrote opens nothing")
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

    @Test("is made again where it is missing or another, which a check tells")
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
        "one that is unsafe to use is told of, left by a restoration, and does not outlive a key that is removed"
    )
    func unsafeCopy() throws {
        try vault.addKey(.keyFile(path: fixture.base + "/key"), named: nil)
        Disk.setMode(copy, 0o644)
        #expect(
            try vault.check().findings.map(\.error) == [.unsafePermissions(path: copy, mode: 0o644)])
        #expect(try vault.restoreHeaderCopy()?.summary == "vault.json.copy left")
        try vault.removeKey(named: "key-file")
        #expect(try fixture.bytes(copy) == fixture.bytes(header) && Disk.mode(copy) == 0o600)
    }

    @Test("none is made of a header that is whole")
    func whole() throws {
        let before = try fixture.contents()
        #expect(try CredentialVault.restoreHeader(at: fixture.home)?.file == nil)
        #expect(try fixture.contents() == before)
        #expect(try CredentialVault.restoreHeader(at: fixture.base + "/nowhere")?.file == nil)
    }
}
