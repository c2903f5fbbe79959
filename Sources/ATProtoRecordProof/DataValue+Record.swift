extension DataValue {
    /// Whether the value can be a record of the data model: a map, in which each `$type` is a name and each blob has its members
    /// (atproto.com/specs/data-model).
    public var isValidRecord: Bool {
        guard case .map = self else { return false }
        return isValid
    }

    private var isValid: Bool {
        switch self {
        case .array(let values): values.allSatisfy(\.isValid)
        case .map(let members): isTyped && members.allSatisfy(\.value.isValid)
        default: true
        }
    }

    /// Whether a map has no type, or one that fits its members, and is no link or bytes in JSON.
    private var isTyped: Bool {
        // In JSON, these names stand for a link and for bytes.
        guard self["$link"] == nil, self["$bytes"] == nil else { return false }
        switch self["$type"] {
        case nil: return true
        case .text("blob")?:
            guard case .link? = self["ref"], case .text? = self["mimeType"],
                case .integer(let size)? = self["size"]
            else { return false }
            return size >= 0
        case .text(let name)?: return !name.isEmpty
        default: return false
        }
    }
}
