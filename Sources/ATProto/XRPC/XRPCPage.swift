package import JSON

/// One answer of a query that answers in pages (atproto.com/specs/xrpc, Cursors and Pagination).
package struct XRPCPage: Sendable, Hashable {
    /// The answer as it came.
    package let content: JSONObject
    /// Where the next page begins; nil on the last one, which has none or an empty one.
    package let cursor: String?

    /// Reads the body of an answer.
    package init(_ body: [UInt8]) throws(InvalidXRPCPage) {
        let json: JSONValue
        do { json = try JSONParser.parse(body) } catch { throw .json(error) }
        guard case .object(let content) = json else { throw .notAnObject }
        self.content = content
        switch content["cursor"] {
        case nil, .null, .string(""): cursor = nil
        case .string(let text): cursor = text
        default: throw .cursor
        }
    }

    /// The names of the members that hold lists: of most queries one, the items of the page.
    package var lists: [String] {
        content.members.filter { $0.value.array != nil }.map(\.name)
    }
}

/// Why an answer is no page.
package enum InvalidXRPCPage: Error, Sendable, Hashable {
    case json(JSONError)
    case notAnObject
    /// A cursor that is no text.
    case cursor
}
