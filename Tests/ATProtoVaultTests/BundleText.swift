import ATPCryptography
import ATPJSON

/// The text of a bundle for forging one. Its checksum is right whatever changes.
struct BundleText {
    private var members: JSONObject

    init(_ bytes: [UInt8]) throws {
        members = try JSONParser.parse(bytes).object ?? [:]
    }

    var bytes: [UInt8] {
        var members = members
        members["checksum"] = nil
        let sum = SHA256.hash(JSONValue.object(members).text.utf8)
        members["checksum"] = .string(Base64URL.encode(sum))
        return Array((JSONValue.object(members).text + "\n").utf8)
    }

    func replacing(_ name: String, from other: BundleText, member: String? = nil) throws -> BundleText {
        var forged = self
        forged.members[name] = other.members[member ?? name]
        return forged
    }
}
