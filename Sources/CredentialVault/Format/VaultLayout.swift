internal import FoundationEssentials

/// Where in its home a vault keeps what.
struct VaultLayout: Sendable {
    let home: String

    var header: String { home + "/vault.json" }
    /// The same once more. An earlier header is never there: a key that was taken out of one would open the other.
    var headerCopy: String { header + ".copy" }
    var active: String { home + "/active" }
    var accounts: String { home + "/accounts" }
    var names: String { home + "/names" }
    var locks: String { home + "/locks" }
    var headerLock: String { locks + "/header.lock" }

    func account(_ id: UUID) -> String { accounts + "/" + Self.name(of: id) }
    func record(_ kind: RecordKind, of id: UUID) -> String { account(id) + "/" + kind.rawValue }

    /// The second copy of the record's current generation. While an intent names a later one, the token in it
    /// is spent; while it names this one, it may be.
    func copy(_ kind: RecordKind, of id: UUID) -> String { record(kind, of: id) + ".copy" }

    func intent(of id: UUID) -> String { account(id) + "/intent" }

    /// What a store elsewhere has of the account, where it has one.
    func handover(of id: UUID) -> String { account(id) + "/handover" }
    func lock(of id: UUID) -> String { locks + "/" + Self.name(of: id) + ".lock" }

    /// Where accounts and the index of names are put together, and accounts taken apart, out of sight of everything
    /// that looks for them.
    var workshop: String { home + "/workshop" }
    func unfinished(_ id: UUID) -> String { workshop + "/new-" + Self.name(of: id) }
    func removed(_ id: UUID) -> String { workshop + "/gone-" + Self.name(of: id) }
    var unfinishedNames: String { workshop + "/new-names" }

    static func name(of id: UUID) -> String { id.text }

    /// The UUID that a directory of ``accounts`` is named by; nil for every other name.
    static func id(named name: String) -> UUID? {
        guard let id = UUID(uuidString: name), id.text == name else { return nil }
        return id
    }
}

extension UUID {
    /// In lower case, as RFC 9562 §4 writes it.
    package var text: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for byte in bytes {
            if text.count == 8 || text.count == 13 || text.count == 18 || text.count == 23 {
                text.append(UInt8(ascii: "-"))
            }
            text.append(Self.digit(byte >> 4))
            text.append(Self.digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }

    /// The 16 bytes.
    var bytes: [UInt8] {
        let b = uuid
        return [
            b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15,
        ]
    }

    /// nil unless there are 16 of them.
    init?(bytes: ArraySlice<UInt8>) {
        let b = Array(bytes)
        guard b.count == 16 else { return nil }
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
                b[14], b[15]
            ))
    }
}
