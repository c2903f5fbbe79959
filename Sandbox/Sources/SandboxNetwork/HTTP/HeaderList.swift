import HTTPTypes

/// Header fields in order. Names are compared without case.
struct HeaderList: Sendable, ExpressibleByDictionaryLiteral {
    private(set) var fields: [(name: String, value: String)]

    init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The first value of a field. Setting replaces all values, and `nil` removes them.
    subscript(name: String) -> String? {
        get { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
        set {
            fields.removeAll { $0.name.lowercased() == name.lowercased() }
            if let newValue { fields.append((name: name, value: newValue)) }
        }
    }

    mutating func add(_ name: String, _ value: String) {
        fields.append((name: name, value: value))
    }

    mutating func merge(_ other: HeaderList) {
        for field in other.fields where self[field.name] == nil { add(field.name, field.value) }
    }

    /// The fields for the HTTP server, without those whose names are not tokens.
    var httpFields: HTTPFields {
        var result = HTTPFields()
        for field in fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            result.append(HTTPField(name: name, value: field.value))
        }
        return result
    }
}
