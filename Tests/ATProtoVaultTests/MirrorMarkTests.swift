import ATPPlatform
import ATProtoVault
import FoundationEssentials
import Testing

@Suite("Mirror mark") struct MirrorMarkTests {
    private let fixture: VaultFixture
    private let vault: CredentialVault
    private let id: UUID

    init() throws {
        fixture = try VaultFixture()
        (vault, id) = try fixture.createWithAccount()
    }

    private var file: String { fixture.directory(id) + "/handover" }

    private func note(_ generation: UInt64) async throws {
        let lock = try await vault.lock(id, timeout: .zero)
        try vault.noteMirror(of: generation, of: id, under: lock)
    }

    private func rotate() async throws {
        let lock = try await vault.lock(id, timeout: .zero)
        try vault.beginRotation(of: id, under: lock, tokenFingerprint: "old", reserving: 64, at: Date())
            .commit(secret("rotated"))
    }

    private func restore() async throws -> [Restoration] {
        let lock = try await vault.lock(id, timeout: .zero)
        let done = try vault.restore(id, under: lock)
        _ = consume lock
        return done
    }

    @Test("the mirror is behind after every new session until it gets it")
    func behind() async throws {
        try await note(1)
        #expect(try vault.mirrorState(of: id) != .behind)
        try await rotate()
        #expect(try vault.mirrorState(of: id) == .behind)
        #expect(try fixture.open().mirrorState(of: id) == .behind)
        try await note(2)
        #expect(try vault.mirrorState(of: id) != .behind)
        let lock = try await vault.lock(id, timeout: .zero)
        try vault.replaceSession(secret("logged in again"), of: id, under: lock)
        #expect(try vault.mirrorState(of: id) == .behind)
        _ = consume lock
    }

    @Test("an imported account's mirror has its session until the next one")
    func takenIn() async throws {
        let other = UUID()
        try vault.add(other, profile: secret("profile"), session: secret("session"), imported: 4, names: [])
        #expect(try vault.read(.session, of: other).generation == 4)
        #expect(try vault.mirrorState(of: other) != .behind)
        let lock = try await vault.lock(other, timeout: .zero)
        try vault.replaceSession(secret("next"), of: other, under: lock)
        _ = consume lock
        #expect(try vault.mirrorState(of: other) == .behind)
        #expect(try vault.check().findings.isEmpty)
    }

    @Test("an account that was never mirrored has no mark")
    func none() async throws {
        try await rotate()
        #expect(try vault.mirrorState(of: id) != .behind)
        #expect(try !FileSystem.exists(file))
    }

    @Test("the mark is only written if it changes")
    func unchanged() async throws {
        try await note(1)
        let bytes = try fixture.bytes(file)
        try await note(1)
        #expect(try fixture.bytes(file) == bytes)
    }

    @Test("the mark needs the account's lock")
    func lock() async throws {
        let other = try VaultFixture.add(to: vault)
        let lock = try await vault.lock(other, timeout: .zero)
        #expect(throws: VaultError.busy(holder: nil)) {
            try vault.noteMirror(of: 1, of: id, under: lock)
        }
    }

    @Test("a damaged mark is restored as the lowest generation")
    func damaged() async throws {
        try await note(1)
        let whole = try fixture.bytes(file)
        try fixture.flippingEachBit(of: file) { index in
            let error = #expect(throws: VaultError.self) { try vault.mirrorState(of: id) }
            #expect(error?.changedFile == file, "byte \(index)")
        }
        try fixture.write(whole.dropLast() + [(whole.last ?? 0) ^ 1], file)
        #expect(try await restore().map(\.file) == [file])
        #expect(try vault.mirrorState(of: id) == .behind)
        #expect(try vault.check().findings.isEmpty)
        #expect(try await restore().isEmpty)
    }

    @Test("the mirror is behind after an earlier session is restored, and after the next one")
    func restoredEarlier() async throws {
        let earlier = try fixture.bytes(fixture.directory(id) + "/session.copy")
        try await rotate()
        try await note(2)
        try fixture.write(earlier, fixture.directory(id) + "/session.copy")
        try fixture.write([], fixture.file(.session, id))
        _ = try await restore()
        #expect(try vault.read(.session, of: id).generation == 1)
        #expect(try vault.mirrorState(of: id) == .behind)
        try await rotate()
        #expect(try vault.mirrorState(of: id) == .behind)
    }
}
