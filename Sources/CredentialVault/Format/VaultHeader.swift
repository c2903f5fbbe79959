internal import Cryptography
internal import FoundationEssentials
internal import JSON

/// `vault.json`: which vault it is, and its key, wrapped for each way of opening it.
///
/// The checksum needs no key, so that a damaged file and a wrong passphrase are told apart. The code needs
/// it: nobody else can add a slot or change its cost unnoticed.
struct VaultHeader: Sendable {
    /// What it says.
    struct Content: Sendable {
        let id: UUID
        let keyID: UUID
        var slots: [KeySlot]
        /// The key before this one, while there may be files that are sealed under it.
        var retiring: RetiringKey?
        /// The machines that the vault was used on, the latest last.
        var machines: [MachineMark]
    }

    let content: Content
    /// The file.
    let bytes: [UInt8]
    private let code: [UInt8]

    var id: UUID { content.id }
    var keyID: UUID { content.keyID }
    var slots: [KeySlot] { content.slots }
    var retiring: RetiringKey? { content.retiring }
    var machines: [MachineMark] { content.machines }

    static let format = 1
    static let mostSlots = 16
    static let mostMachines = 16

    /// The header of a vault as somebody with its key writes it.
    init(_ content: Content, _ keys: VaultKeys) {
        self.content = content
        code = keys.code(.header, content.id.bytes, message: content.message)
        bytes = Self.bytes(content, code)
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
        let marks = json["machines"]?.array ?? []
        let machines = marks.compactMap(MachineMark.init)
        guard machines.count == marks.count, machines.count <= Self.mostMachines else {
            throw damaged("has a machine that is not one")
        }
        content = Content(
            id: id, keyID: keyID, slots: slots, retiring: retiring ?? nil, machines: machines)
        self.code = code
        self.bytes = bytes
        // The checksum is over the values; what is between them has to be as it was written too.
        guard bytes == Self.bytes(content, code) else { throw damaged("is not as it was written") }
    }

    private static func bytes(_ content: Content, _ code: [UInt8]) -> [UInt8] {
        var members = content.members
        members["code"] = .string(Base64URL.encode(code))
        members["checksum"] = .string(checksum(members))
        return Array((JSONValue.object(members).indentedText + "\n").utf8)
    }

    /// Whether the header is the one that somebody with the key wrote.
    func isAuthentic(_ keys: VaultKeys) -> Bool {
        ConstantTime.equals(keys.code(.header, id.bytes, message: content.message), code)
    }

    static func inauthentic(_ file: String) -> VaultError {
        .damaged(file: file, reason: VaultError.inauthenticHeader)
    }

    private static func checksum(_ members: JSONObject) -> String {
        Base64URL.encode(SHA256.hash(JSONValue.object(members).text.utf8))
    }
}

extension VaultHeader.Content {
    fileprivate var members: JSONObject {
        var members: JSONObject = [
            "format": JSONValue(VaultHeader.format), "vault": .string(VaultLayout.name(of: id)),
            "key": .string(VaultLayout.name(of: keyID)), "slots": .array(slots.map(\.json)),
        ]
        if let retiring { members["retiring"] = retiring.json }
        if !machines.isEmpty { members["machines"] = .array(machines.map(\.json)) }
        return members
    }

    fileprivate var message: [UInt8] { Array(JSONValue.object(members).text.utf8) }
}
