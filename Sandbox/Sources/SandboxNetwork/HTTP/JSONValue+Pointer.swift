extension JSONValue {
    /// Sets the value at a JSON pointer (RFC 6901) and creates missing objects.
    mutating func set(_ value: JSONValue, at pointer: String) {
        replace(value, at: Self.tokens(of: pointer)[...])
    }

    /// Removes the value at a JSON pointer, if there is one.
    mutating func remove(at pointer: String) {
        replace(nil, at: Self.tokens(of: pointer)[...])
    }

    private static func tokens(of pointer: String) -> [String] {
        pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }

    private mutating func replace(_ value: JSONValue?, at tokens: ArraySlice<String>) {
        guard let token = tokens.first else {
            self = value ?? .null
            return
        }
        let rest = tokens.dropFirst()
        switch self {
        case .array(var items):
            if let index = Int(token), items.indices.contains(index) {
                if rest.isEmpty, value == nil {
                    items.remove(at: index)
                } else {
                    items[index].replace(value, at: rest)
                }
            } else if let value, rest.isEmpty {
                items.append(value)
            }
            self = .array(items)
        case .object(var members):
            if let index = members.firstIndex(where: { $0.name == token }) {
                if rest.isEmpty, value == nil {
                    members.remove(at: index)
                } else {
                    members[index].value.replace(value, at: rest)
                }
            } else if value != nil {
                var member = JSONMember(name: token, value: .object([]))
                member.value.replace(value, at: rest)
                members.append(member)
            }
            self = .object(members)
        default:
            guard value != nil else { return }
            self = .object([])
            replace(value, at: tokens)
        }
    }
}
