package import ATPJSON
package import ATPNetworking

/// The parameters and the JSON body of a call, made from named values (protocol:X2, X3).
package struct XRPCInput: Sendable, Hashable {
    /// One named value.
    package enum Item: Sendable, Hashable {
        /// `name=text`: a parameter of a query, or a string in a procedure's body, where `name[a][0]=text` is nested.
        case text(name: String, String)
        /// `name:=json`: the same with a JSON value.
        case json(name: String, JSONValue)
        /// `name==text`: a parameter of a query or a procedure.
        case parameter(name: String, String)

        /// The name as it was written.
        package var name: String {
            switch self {
            case .text(let name, _), .json(let name, _), .parameter(let name, _): name
            }
        }
    }

    package private(set) var parameters = FormParameters()
    /// The body. Nil sends no body.
    package var body: JSONObject?

    /// Puts the items into the query string and the body, in their order.
    package init(_ items: [Item], for method: XRPCMethod) throws(InvalidXRPCInput) {
        var members: BodyPart?
        var paths: Set<MemberPath> = []
        for item in items {
            let path = try MemberPath(parsing: item.name)
            switch (item, method) {
            case (.parameter(_, let text), _), (.text(_, let text), .query):
                parameters.append(try Self.parameter(path, item), text)
            case (.json(_, let value), .query): try append(Self.parameter(path, item), value)
            case (.text(_, let text), .procedure):
                try Self.put(.string(text), at: path, item, into: &members, &paths)
            case (.json(_, let value), .procedure):
                try Self.put(value, at: path, item, into: &members, &paths)
            }
        }
        body = try members?.json(named: "").object
    }

    private static func put(
        _ value: JSONValue, at path: MemberPath, _ item: Item, into members: inout BodyPart?,
        _ paths: inout Set<MemberPath>
    ) throws(InvalidXRPCInput) {
        // The same new element may be added twice.
        guard path.steps.contains(.next) || paths.insert(path).inserted else { throw .repeated(item.name) }
        guard let whole = BodyPart.putting(value, at: path.steps[...], into: members) else {
            throw .contradiction(item.name)
        }
        members = whole
    }

    /// The name of a parameter. Nothing is nested in a URL.
    private static func parameter(_ path: MemberPath, _ item: Item) throws(InvalidXRPCInput) -> String {
        guard let name = path.name else { throw .nestedParameter(item.name) }
        return name
    }

    /// Appends a value. An array becomes one parameter for each element (protocol:X2).
    private mutating func append(_ name: String, _ value: JSONValue) throws(InvalidXRPCInput) {
        if case .array(let elements) = value {
            for element in elements { parameters.append(name, try Self.scalar(name, element)) }
        } else {
            parameters.append(name, try Self.scalar(name, value))
        }
    }

    private static func scalar(_ name: String, _ value: JSONValue) throws(InvalidXRPCInput) -> String {
        switch value {
        case .string(let text), .number(let text): text
        case .bool(let bool): bool ? "true" : "false"
        case .null, .array, .object: throw .notAParameter(name)
        }
    }
}

/// Why items can't form the input of a call.
package enum InvalidXRPCInput: Error, Sendable, Hashable {
    /// A member of the body is given twice.
    case repeated(String)
    /// Two items give one place different values.
    case contradiction(String)
    /// The brackets of a name don't match, or an index or the depth is too large.
    case invalidName(String)
    /// A list has a later element than this one, which has no value.
    case missingElement(String)
    /// A name with brackets for a parameter of the URL.
    case nestedParameter(String)
    /// A query string can't hold the value: null, an object, or an array in an array.
    case notAParameter(String)
}
