internal import ATPCryptography
internal import ATPJSON
internal import BskyAuthRows
internal import FoundationEssentials

/// The row `vault` of a shared vault: what a machine needs to join it, or who ended the sharing.
///
/// The value is JSON. `protocol` is ``version``. `header` is the bytes of a ``VaultHeader`` in Base64URL, with the key slots of
/// key files and no machines. `by` is a ``SealedFile`` with the machine that shared the vault. After `vault unshare`, there is
/// only `protocol` and `unshared`: a ``SealedFile`` with the machine that took the vault out of the store.
struct SharedHeader: Sendable {
    enum State: Sendable {
        case shared(VaultHeader)
        case unshared(by: [UInt8])
    }

    let state: State
    /// The machine that shared the vault, sealed: the other durable machines have its ``SharedMachine/takeover``. Nil: none.
    let origin: [UInt8]?

    static let key = "vault"
    /// A program writes nothing into a store of a later version.
    static let version: Int64 = 1

    /// The header for the other machines of a vault.
    init(
        _ header: UnlockedHeader, sharedBy machine: SharedMachine, in files: SealedFileStore
    ) throws(VaultError) {
        self.init(
            header, slots: header.slots.filter(\.isShared),
            origin: try files.seal(machine, as: Self.machine(of: header.id)))
    }

    /// - Parameter slots: those of the vault's key files.
    init(_ header: UnlockedHeader, slots: [KeySlot], origin: [UInt8]?) {
        self.origin = origin
        state = .shared(
            VaultHeader(
                VaultHeader.Content(
                    id: header.id, keyID: header.keys.id, slots: slots, previousKey: nil, machines: []),
                header.keys))
    }

    /// The header of a vault that is not shared any more.
    init(
        unsharedBy machine: SharedMachine, of vault: UUID, in files: SealedFileStore
    ) throws(VaultError) {
        origin = nil
        state = .unshared(by: try files.seal(machine, as: Self.machine(of: vault)))
    }

    init(_ bytes: [UInt8], store: String) throws(VaultError) {
        guard let json = try? JSONParser.parse(bytes), let version = json["protocol"]?.integer else {
            throw .damaged(file: store, reason: "has an unreadable row \(Self.key)")
        }
        guard version <= Self.version else { throw .sharingRefused(.laterProtocol(version)) }
        origin = json["by"]?.string.flatMap { Base64URL.decode($0) }
        if let sealed = json["unshared"]?.string.flatMap({ Base64URL.decode($0) }) {
            state = .unshared(by: sealed)
            return
        }
        guard let header = json["header"]?.string.flatMap({ Base64URL.decode($0) }) else {
            throw .damaged(file: store, reason: "has a row \(Self.key) without a header")
        }
        state = .shared(try VaultHeader(header, file: "the header in \(store)"))
    }

    var bytes: [UInt8] {
        var members: JSONObject = ["protocol": JSONValue(Self.version)]
        members["by"] = origin.map { .string(Base64URL.encode($0)) }
        switch state {
        case .shared(let header): members["header"] = .string(Base64URL.encode(header.bytes))
        case .unshared(let sealed): members["unshared"] = .string(Base64URL.encode(sealed))
        }
        return Array(JSONValue.object(members).text.utf8)
    }

    /// The machine that shared the vault, or that ended the sharing.
    static func machine(of vault: UUID) -> SealedFile {
        SealedFile(kind: .machine, owner: vault, path: "the row \(key) of the store")
    }
}

extension KeySlot {
    /// Whether the other machines of a shared vault have the slot. Whoever can read the store could guess a passphrase.
    var isShared: Bool { method == .keyFile && !isRemembered }
}

extension SealedFileStore {
    func seal(_ machine: SharedMachine, as file: SealedFile) throws(VaultError) -> [UInt8] {
        try seal(SecretBytes(Array(machine.json.text.utf8)), generation: 0, as: file)
    }

    func machine(_ bytes: [UInt8], as file: SealedFile) throws(VaultError) -> SharedMachine {
        try Self.machine(open(file, bytes).record, file)
    }

    static func machine(_ record: StoredRecord, _ file: SealedFile) throws(VaultError) -> SharedMachine {
        guard let json = try? JSONParser.parse(record.content.bytes), let machine = SharedMachine(json)
        else { throw file.damaged("is not a machine") }
        return machine
    }
}

extension SharedStore {
    /// Reads the header; nil if the store has none under its prefix.
    func header(of url: String) async throws(VaultError) -> (header: SharedHeader, revision: Revision)? {
        let row: StoredRow?
        do { row = try await rows.get(SharedHeader.key) } catch { throw .store(error) }
        return try row.map { row throws(VaultError) in
            (try SharedHeader(row.value, store: url), row.revision)
        }
    }

    /// - Returns: false if another header was there.
    func write(_ header: SharedHeader, if condition: RowCondition) async throws(VaultError) -> Bool {
        do { return try await rows.put(SharedHeader.key, header.bytes, if: condition) != nil } catch {
            throw .store(error)
        }
    }
}
