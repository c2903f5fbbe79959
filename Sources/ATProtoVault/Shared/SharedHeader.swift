internal import ATPCryptography
internal import ATPJSON
internal import BskyAuthRows

/// The row `vault` of a shared vault: what a machine needs to join it.
///
/// The value is JSON: `protocol` is ``version``, and `header` is the bytes of a ``VaultHeader`` in Base64URL. It has the key slots
/// of key files, and no machines.
struct SharedHeader: Sendable {
    let header: VaultHeader

    static let key = "vault"
    /// A program writes nothing into a store of a later version.
    static let version: Int64 = 1

    /// The header for the other machines of a vault.
    init(_ header: UnlockedHeader) {
        self.header = VaultHeader(
            VaultHeader.Content(
                id: header.id, keyID: header.keys.id,
                slots: header.slots.filter { $0.method == .keyFile && !$0.isRemembered }, previousKey: nil,
                machines: []),
            header.keys)
    }

    init(_ bytes: [UInt8], store: String) throws(VaultError) {
        guard let json = try? JSONParser.parse(bytes), let version = json["protocol"]?.integer else {
            throw .damaged(file: store, reason: "has an unreadable row \(Self.key)")
        }
        guard version <= Self.version else { throw .sharingRefused(.laterProtocol(version)) }
        guard let header = json["header"]?.string.flatMap({ Base64URL.decode($0) }) else {
            throw .damaged(file: store, reason: "has a row \(Self.key) without a header")
        }
        self.header = try VaultHeader(header, file: "the header in \(store)")
    }

    var bytes: [UInt8] {
        let json: JSONValue = [
            "protocol": JSONValue(Self.version), "header": .string(Base64URL.encode(header.bytes)),
        ]
        return Array(json.text.utf8)
    }
}

extension SharedStore {
    /// Reads the header; nil if the store has no shared vault.
    func header(of url: String) async throws(VaultError) -> SharedHeader? {
        let row: StoredRow?
        do { row = try await rows.get(SharedHeader.key) } catch { throw .store(error) }
        return try row.map { row throws(VaultError) in try SharedHeader(row.value, store: url) }
    }

    func write(_ header: SharedHeader) async throws(VaultError) {
        do { try await rows.put(SharedHeader.key, header.bytes, if: .always) } catch { throw .store(error) }
    }
}
