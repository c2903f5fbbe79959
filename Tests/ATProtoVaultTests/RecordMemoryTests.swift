import ATPCryptography
import ATPPlatform
import ATProtoVault
import FoundationEssentials
import Glibc
import Testing

/// A memory of the sessions of a vault, as its users ask it.
private struct Reader {
    struct Answer: Equatable {
        let text: String
        /// Whether it was not read anew.
        let wasKnown: Bool
    }

    let vault: CredentialVault
    let memory: RecordMemory<String>

    init(_ vault: CredentialVault) {
        self.vault = vault
        memory = RecordMemory(of: .session, in: vault) { _, record in
            String(decoding: record.bytes, as: UTF8.self)
        }
    }

    /// The session, at a time when its files are settled.
    func read(_ id: UUID, at time: Date = Date() + 60) throws -> Answer {
        if let known = memory.value(of: id) { return Answer(text: known, wasKnown: true) }
        return Answer(text: try memory.read(id, at: time), wasKnown: false)
    }
}

@Suite("A memory of records") struct RecordMemoryTests {
    let fixture: VaultFixture
    let vault: CredentialVault
    let id: UUID
    private let reader: Reader

    init() throws {
        fixture = try VaultFixture()
        (vault, id) = try fixture.createWithAccount()
        reader = Reader(vault)
    }

    @Test("knows a record whose files are the same") func same() throws {
        #expect(try reader.read(id) == Reader.Answer(text: "session of \(id)", wasKnown: false))
        #expect(try reader.read(id) == Reader.Answer(text: "session of \(id)", wasKnown: true))
    }

    @Test("reads a record that another process has replaced") func replaced() throws {
        _ = try reader.read(id)
        let other = try fixture.open()
        guard let lock = try other.tryLock(id) else { throw VaultError.busy(holder: nil) }
        try other.replaceSession(secret("another"), of: id, under: lock)
        #expect(try reader.read(id) == Reader.Answer(text: "another", wasKnown: false))
        #expect(try reader.read(id) == Reader.Answer(text: "another", wasKnown: true))
    }

    @Test("knows nothing of a file that changed just now") func unsettled() throws {
        // Two changes in one tick of the file system's clock look like one.
        _ = try reader.read(id, at: Date())
        #expect(try !reader.read(id).wasKnown)
    }

    @Test("refuses a record that others may read by now") func opened() throws {
        _ = try reader.read(id)
        #expect(unsafe chmod(fixture.file(.session, id), 0o644) == 0)
        #expect(throws: VaultError.self) { try reader.read(id) }
    }

    @Test("refuses a record that was removed, or is damaged by now") func damaged() throws {
        _ = try reader.read(id)
        let file = fixture.file(.session, id)
        let bytes = try fixture.bytes(file)
        try fixture.write(bytes.dropLast() + [bytes[bytes.count - 1] ^ 1], file)
        #expect(throws: VaultError.self) { try reader.read(id) }
        try FileSystem.remove(file)
        #expect(throws: VaultError.self) { try reader.read(id) }
    }

    @Test("forgets an account") func forgotten() throws {
        _ = try reader.read(id)
        reader.memory.forget(id)
        #expect(try !reader.read(id).wasKnown)
    }
}
