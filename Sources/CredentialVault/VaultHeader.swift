internal import Cryptography
internal import FoundationEssentials
internal import JSON

/// `vault.json`: which vault it is, and its key, wrapped for each way of opening it.
///
/// The checksum needs no key, so that a damaged file and a wrong passphrase are told apart. The code needs
/// it: nobody else can add a slot or change its cost unnoticed.
struct VaultHeader: Sendable {
    let id: UUID
    let keyID: UUID
    let slots: [KeySlot]
    /// The key before this one, while there may be files that are sealed under it.
    let retiring: RetiringKey?
    private let code: [UInt8]

    static let format = 1
    static let mostSlots = 16

    /// The header of a vault as somebody with its key writes it.
    init(
        id: UUID, slots: [KeySlot], retiring: RetiringKey? = nil, _ keys: VaultKeys
    ) throws(VaultError) {
        self.id = id
        self.slots = slots
        self.retiring = retiring
        keyID = keys.id
        code = try keys.code(.header, id.bytes, message: Self.message(id, keys.id, slots, retiring))
    }

    /// Reads a file, and makes sure that it is whole.
    init(_ bytes: [UInt8], file: String) throws(VaultError) {
        func damaged(_ reason: String) -> VaultError { .damaged(file: file, reason: reason) }
        let json: JSONValue
        do { json = try JSONParser.parse(bytes) } catch { throw damaged("is not JSON") }
        guard let found = json["format"]?.integer, found > 0 else { throw damaged("has no format") }
        guard found <= Int64(Self.format) else { throw .newerFormat(file: file, found: Int(found)) }
        guard var members = json.object, let checksum = members["checksum"]?.string else {
            throw damaged("has no checksum")
        }
        members["checksum"] = nil
        guard checksum == Self.checksum(members) else { throw damaged("does not match its checksum") }
        guard let id = json["vault"]?.string.flatMap(VaultLayout.id(named:)),
            let keyID = json["key"]?.string.flatMap(VaultLayout.id(named:)),
            let code = json["code"]?.string.flatMap({ Base64URL.decode($0) }),
            let array = json["slots"]?.array, array.count <= Self.mostSlots
        else { throw damaged("lacks something") }
        let slots = array.compactMap(KeySlot.init)
        guard slots.count == array.count, Set(slots.map(\.name)).count == slots.count else {
            throw damaged("has a key slot that is not one")
        }
        let retiring = json["retiring"].map(RetiringKey.init)
        if case .some(.none) = retiring { throw damaged("has a key before its own that is not one") }
        self.id = id
        self.keyID = keyID
        self.slots = slots
        self.retiring = retiring ?? nil
        self.code = code
        // The checksum is over the values; what is between them has to be as it was written too.
        guard self.bytes == bytes else { throw damaged("is not as it was written") }
    }

    var bytes: [UInt8] {
        var members = Self.members(id, keyID, slots, retiring)
        members["code"] = .string(Base64URL.encode(code))
        members["checksum"] = .string(Self.checksum(members))
        return Array((JSONValue.object(members).indentedText + "\n").utf8)
    }

    /// Whether the header is the one that somebody with the key wrote.
    func isAuthentic(_ keys: VaultKeys) throws(VaultError) -> Bool {
        let expected = try keys.code(.header, id.bytes, message: Self.message(id, keyID, slots, retiring))
        return ConstantTime.equals(expected, code)
    }

    static func inauthentic(_ file: String) -> VaultError {
        .damaged(file: file, reason: "was changed by somebody without its key")
    }

    private static func members(
        _ id: UUID, _ keyID: UUID, _ slots: [KeySlot], _ retiring: RetiringKey?
    ) -> JSONObject {
        var members: JSONObject = [
            "format": JSONValue(format), "vault": .string(VaultLayout.name(of: id)),
            "key": .string(VaultLayout.name(of: keyID)), "slots": .array(slots.map(\.json)),
        ]
        if let retiring { members["retiring"] = retiring.json }
        return members
    }

    private static func message(
        _ id: UUID, _ keyID: UUID, _ slots: [KeySlot], _ retiring: RetiringKey?
    ) -> [UInt8] {
        Array(JSONValue.object(members(id, keyID, slots, retiring)).text.utf8)
    }

    private static func checksum(_ members: JSONObject) -> String {
        Base64URL.encode(SHA256.hash(JSONValue.object(members).text.utf8))
    }
}
