package import JSON
package import Networking

/// The parameters and the JSON body of a call, put together from named values (protocol:X2, X3).
package struct XRPCInput: Sendable, Hashable {
    /// One named value.
    package enum Item: Sendable, Hashable {
        /// `name=text`: a parameter of a query, a string member of a procedure's body.
        case text(name: String, String)
        /// `name:=json`: the same with a type.
        case json(name: String, JSONValue)
        /// `name==text`: a parameter, whatever the method.
        case parameter(name: String, String)
    }

    package private(set) var parameters = FormParameters()
    /// The body; nil sends none.
    package private(set) var body: JSONObject?

    /// Sorts the items into query string and body, in their order.
    ///
    /// - Parameter repo: the account whose repository a write without a `repo` member goes to.
    package init(
        _ items: [Item], for method: XRPCMethod, _ nsid: NSID, repo: DID? = nil
    ) throws(InvalidXRPCInput) {
        for item in items {
            switch (item, method) {
            case (.parameter(let name, let text), _), (.text(let name, let text), .query):
                parameters.append(name, text)
            case (.json(let name, let value), .query): try append(name, value)
            case (.text(let name, let text), .procedure): try set(name, .string(text))
            case (.json(let name, let value), .procedure): try set(name, value)
            }
        }
        if method == .procedure, let repo, Self.writesRepository(nsid), body?["repo"] == nil {
            var completed: JSONObject = ["repo": .string(repo.description)]
            for member in body?.members ?? [] { completed[member.name] = member.value }
            body = completed
        }
    }

    /// Whether the method takes the repository to write to as `repo` of its body.
    package static func writesRepository(_ nsid: NSID) -> Bool {
        nsid.authority == "com.atproto.repo"
            && ["applyWrites", "createRecord", "deleteRecord", "putRecord"].contains(nsid.name)
    }

    /// An array is its elements, one parameter each (protocol:X2).
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
        case .null, .array, .object: throw .notAParameter(name: name)
        }
    }

    private mutating func set(_ name: String, _ value: JSONValue) throws(InvalidXRPCInput) {
        guard body?[name] == nil else { throw .repeated(name: name) }
        body = body ?? JSONObject()
        body?[name] = value
    }
}

/// Why values make no call.
package enum InvalidXRPCInput: Error, Sendable, Hashable {
    /// A member of the body that was given twice.
    case repeated(name: String)
    /// A value that no query string can hold: null, an object, an array in an array.
    case notAParameter(name: String)
}
