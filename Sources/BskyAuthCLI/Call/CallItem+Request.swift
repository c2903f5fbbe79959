internal import ATProto
internal import HTTPTypes

extension CallItem {
    /// Header fields that only the program sets: credentials and framing.
    private static let reserved: Set<String> = [
        "authorization", "dpop", "host", "content-length", "transfer-encoding", "connection", "expect", "te",
        "trailer", "upgrade", "cookie", "proxy-authorization",
    ]

    /// Adds the item to the query, the body or the header of a request.
    func add(to values: inout [XRPCInput.Item], _ fields: inout HTTPFields) throws {
        switch self {
        case .literal(let name, let value): values.append(.text(name: name, value))
        case .typed(let name, let value): values.append(.json(name: name, value))
        case .query(let name, let value): values.append(.parameter(name: name, value))
        case .header(let name, let value):
            let trimmed = value.drop { $0 == " " }
            guard !Self.reserved.contains(name.lowercased()) else {
                throw Failure.usage(
                    "the header \(name.escapedForTerminal) is set by bskyauth and can't be given")
            }
            guard let fieldName = HTTPField.Name(name), HTTPField.isValidValue(String(trimmed)) else {
                throw Failure.usage(
                    "\"\(name.escapedForTerminal)\" is not a valid header name, or its value has a line break"
                )
            }
            fields.append(HTTPField(name: fieldName, value: String(trimmed)))
        }
    }
}
