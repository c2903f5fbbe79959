package import JSON
package import Networking

/// The parameters and the JSON body of a call, made from named values (protocol:X2, X3).
package struct XRPCInput: Sendable, Hashable {
    /// One named value.
    package enum Item: Sendable, Hashable {
        /// `name=text`: a parameter of a query, or a string member of a procedure's body.
        case text(name: String, String)
        /// `name:=json`: the same with a JSON value.
        case json(name: String, JSONValue)
        /// `name==text`: a parameter of a query or a procedure.
        case parameter(name: String, String)
    }

    package private(set) var parameters = FormParameters()
    /// The body. Nil sends no body.
    package private(set) var body: JSONObject?

    /// Puts the items into the query string and the body, in their order.
    ///
    /// - Parameter repo: the repository for a write without a `repo` member.
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

    /// Whether the body of the method names the repository as `repo`.
    package static func writesRepository(_ nsid: NSID) -> Bool {
        nsid.authority == "com.atproto.repo"
            && ["applyWrites", "createRecord", "deleteRecord", "putRecord"].contains(nsid.name)
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
        case .null, .array, .object: throw .notAParameter(name: name)
        }
    }

    private mutating func set(_ name: String, _ value: JSONValue) throws(InvalidXRPCInput) {
        guard body?[name] == nil else { throw .repeated(name: name) }
        body = body ?? JSONObject()
        body?[name] = value
    }
}

/// Why items can't form the input of a call.
package enum InvalidXRPCInput: Error, Sendable, Hashable {
    /// A member of the body is repeated.
    case repeated(name: String)
    /// A query string can't hold the value: null, an object, or an array in an array.
    case notAParameter(name: String)
}
