package import JSON
internal import Networking

/// The requests that read a query page after page: the cursor of the last answer goes into the next request,
/// everything else stays as it is, and an answer without a cursor is the last (protocol:X11).
///
/// A page may be empty and have successors. A cursor that came before would lead around in a circle.
package struct XRPCPages: Sendable {
    private let query: XRPCRequest
    private var seen: Set<String> = []
    /// Where the next page begins; nil at the beginning, and at the end.
    package private(set) var cursor: String?
    private var isOver = false

    /// - Parameter cursor: where to begin; nil for the first page.
    package init(of query: XRPCRequest, from cursor: String? = nil) {
        self.query = query
        self.cursor = cursor
        if let cursor { seen.insert(cursor) }
    }

    /// The request for the next page; nil after the last.
    package var next: XRPCRequest? {
        guard !isOver else { return nil }
        var request = query
        if let cursor { request.parameters.append("cursor", cursor) }
        return request
    }

    /// Goes on behind a page.
    package mutating func advance(past page: XRPCPage) throws(RepeatedCursor) {
        isOver = true
        cursor = nil
        guard let next = page.cursor else { return }
        guard seen.insert(next).inserted else { throw RepeatedCursor() }
        cursor = next
        isOver = false
    }
}

/// A page names as its successor one that has been read already.
package struct RepeatedCursor: Error, Sendable, Hashable {}

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
