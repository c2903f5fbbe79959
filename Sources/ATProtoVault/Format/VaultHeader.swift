internal import ATPCryptography
internal import ATPJSON
internal import ATPPlatform
internal import ATProtoSessions
internal import FoundationEssentials

/// `vault.json`: the id of the vault, and the vault key, wrapped once for each key slot.
///
/// The JSON is indented and ends in a newline. Its members are in this order:
///
/// | member | |
/// |---|---|
/// | `format` | 1; 2 for a shared vault, whose sessions earlier versions would refresh without the store |
/// | `vault` | the UUID of the vault |
/// | `key` | the UUID of the vault key |
/// | `slots` | the key slots: ``KeySlot`` |
/// | `retiring` | the previous vault key while a change is unfinished: ``PreviousKey`` |
/// | `machines` | the machines that used the vault: ``MachineMark`` |
/// | `shared` | the store of a shared vault: ``SharedPlace`` |
/// | `code` | HMAC-SHA-256 of the members above as compact JSON, under a key derived from the vault key |
/// | `checksum` | SHA-256 of the members above as compact JSON |
///
/// The checksum needs no key, so a damaged file and a wrong passphrase can be told apart. The code needs the
/// vault key: without that key, an attacker can't add a slot or change the cost of a slot unnoticed.
struct VaultHeader: Sendable {
    /// Everything but the code and the checksum.
    struct Content: Sendable {
        let id: UUID
        let keyID: UUID
        var slots: [KeySlot]
        /// The previous vault key, while files may be sealed under it.
        var previousKey: PreviousKey?
        /// The machines that used the vault, the latest last.
        var machines: [MachineMark]
        /// The store of a shared vault; nil for a vault of this machine alone.
        var shared: SharedPlace?
    }

    let content: Content
    /// The bytes of the file.
    let bytes: [UInt8]
    private let code: [UInt8]

    var id: UUID { content.id }
    var keyID: UUID { content.keyID }
    var slots: [KeySlot] { content.slots }
    var previousKey: PreviousKey? { content.previousKey }
    var machines: [MachineMark] { content.machines }
    var shared: SharedPlace? { content.shared }
    var format: Int { content.format }

    /// The latest format.
    static let format = 2
    static let mostSlots = 16
    static let mostMachines = 16

    /// Makes a header that is authentic under the vault's key.
    init(_ content: Content, _ keys: VaultKeys) {
        self.content = content
        code = keys.code(.header, content.id.bytes, message: content.message)
        bytes = Self.bytes(content, code)
    }

    /// Makes the header of a new vault, and its key.
    static func create(
        _ key: KeySource, _ cost: Scrypt.Parameters, _ machine: MachineID?
    ) throws(VaultError) -> (VaultHeader, VaultKeys) {
        let secret = try key.newSecret()
        let id = UUID()
        let keys = try VaultKeys.random()
        let slot = try KeySlot(for: key, secret, cost, of: id, keys)
        let content = Content(
            id: id, keyID: keys.id, slots: [slot], previousKey: nil,
            machines: machine.map { [MachineMark($0, in: id)] } ?? [])
        return (VaultHeader(content, keys), keys)
    }

    /// Reads the bytes of a file and verifies that they are undamaged. ``isAuthentic(_:)`` checks the code separately.
    init(_ bytes: [UInt8], file: String) throws(VaultError) {
        func damaged(_ reason: String) -> VaultError { .damaged(file: file, reason: reason) }
        let json: JSONValue
        do { json = try JSONParser.parse(bytes) } catch { throw damaged("is not JSON") }
        guard let found = json["format"]?.integer, found > 0 else { throw damaged("has no format number") }
        guard found <= Int64(Self.format) else { throw .newerFormat(file: file, found: Int(found)) }
        guard var members = json.object, let checksum = members["checksum"]?.string else {
            throw damaged("has no checksum")
        }
        members["checksum"] = nil
        guard checksum == Self.checksum(members) else { throw damaged("does not match its checksum") }
        guard let id = json["vault"]?.string.flatMap(UUID.init(text:)),
            let keyID = json["key"]?.string.flatMap(UUID.init(text:)),
            let code = json["code"]?.string.flatMap({ Base64URL.decode($0) }),
            let array = json["slots"]?.array, array.count <= Self.mostSlots
        else { throw damaged("has a missing or invalid member") }
        let slots = array.compactMap(KeySlot.init)
        guard slots.count == array.count, Set(slots.map(\.name)).count == slots.count else {
            throw damaged("has an invalid key slot")
        }
        let previousKey = json["retiring"].map(PreviousKey.init)
        if case .some(.none) = previousKey { throw damaged("has an invalid previous key") }
        let marks = json["machines"]?.array ?? []
        let machines = marks.compactMap(MachineMark.init)
        guard machines.count == marks.count, machines.count <= Self.mostMachines else {
            throw damaged("has an invalid machine mark")
        }
        let shared = json["shared"].map(SharedPlace.init)
        if case .some(.none) = shared { throw damaged("has an invalid store") }
        content = Content(
            id: id, keyID: keyID, slots: slots, previousKey: previousKey ?? nil, machines: machines,
            shared: shared ?? nil)
        self.code = code
        self.bytes = bytes
        // The checksum covers the values only, so check the white space too.
        guard bytes == Self.bytes(content, code) else {
            throw damaged("is not in the form that bskyauth writes")
        }
    }

    private static func bytes(_ content: Content, _ code: [UInt8]) -> [UInt8] {
        var members = content.members
        members["code"] = .string(Base64URL.encode(code))
        members["checksum"] = .string(checksum(members))
        return Array((JSONValue.object(members).indentedText + "\n").utf8)
    }

    /// Whether the header was written by someone with the vault's key.
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
    fileprivate var format: Int { shared == nil ? 1 : VaultHeader.format }

    fileprivate var members: JSONObject {
        var members: JSONObject = [
            "format": JSONValue(format), "vault": .string(id.text),
            "key": .string(keyID.text), "slots": .array(slots.map(\.json)),
        ]
        if let previousKey { members["retiring"] = previousKey.json }
        if !machines.isEmpty { members["machines"] = .array(machines.map(\.json)) }
        if let shared { members["shared"] = shared.json }
        return members
    }

    fileprivate var message: [UInt8] { Array(JSONValue.object(members).text.utf8) }
}
