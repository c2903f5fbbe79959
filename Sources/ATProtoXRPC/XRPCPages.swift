package import ATPJSON
internal import ATPNetworking

/// Makes the requests for the pages of a query. Each request takes the cursor of the previous page. A page without
/// a cursor is the last (protocol:X11).
///
/// An empty page may have successors. A repeated cursor is an error, because it would never end.
package struct XRPCPages: Sendable {
    private let query: XRPCRequest
    private var seen: Set<String> = []
    /// The cursor of the next page. Nil before the first page and after the last.
    package private(set) var cursor: String?
    private var isOver = false

    /// - Parameter cursor: the cursor of the page to start at. Nil starts at the first page.
    package init(of query: XRPCRequest, from cursor: String? = nil) {
        self.query = query
        self.cursor = cursor
        if let cursor { seen.insert(cursor) }
    }

    /// The request for the next page. Nil after the last page.
    package var next: XRPCRequest? {
        guard !isOver else { return nil }
        var request = query
        if let cursor { request.parameters.append("cursor", cursor) }
        return request
    }

    /// Moves on to the page after `page`.
    package mutating func advance(past page: XRPCPage) throws(RepeatedCursor) {
        isOver = true
        cursor = nil
        guard let next = page.cursor else { return }
        guard seen.insert(next).inserted else { throw RepeatedCursor() }
        cursor = next
        isOver = false
    }
}

/// A page has the cursor of a page that was already read.
package struct RepeatedCursor: Error, Sendable, Hashable {}

/// One page of a paginated query (atproto.com/specs/xrpc, Cursors and Pagination).
package struct XRPCPage: Sendable, Hashable {
    /// The body of the response.
    package let content: JSONObject
    /// The cursor of the next page. Nil on the last page, where it is missing or empty.
    package let cursor: String?

    /// Reads the body of a response.
    package init(_ body: [UInt8]) throws(InvalidXRPCPage) {
        let json: JSONValue
        do { json = try JSONParser.parse(body) } catch { throw .json(error) }
        guard case .object(let content) = json else { throw .notAnObject }
        self.content = content
        switch content["cursor"] {
        case nil, .null, .string(""): cursor = nil
        case .string(let text): cursor = text
        case let other?:
            // Some servers count their pages. A query has only texts.
            guard let number = other.integer else { throw .cursor }
            cursor = String(number)
        }
    }

    /// The names of the members that hold lists. Most queries have one list, the items of the page.
    package var lists: [String] {
        content.members.filter { $0.value.array != nil }.map(\.name)
    }
}

/// Why a response is not a page.
package enum InvalidXRPCPage: Error, Sendable, Hashable {
    case json(JSONError)
    case notAnObject
    /// The cursor is neither a string nor a whole number.
    case cursor
}
