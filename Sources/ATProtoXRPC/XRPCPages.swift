package import ATPJSON
internal import ATPNetworking

/// Makes the requests for the pages of a query. Each request takes the cursor of the previous page. A page without
/// a cursor is the last (protocol:X11).
///
/// An empty page may have successors. A repeated cursor is an error, because it would never end. Some servers give the last page a
/// cursor, too: that of its own request. Such a page is the end if it has no items, or only items that the page before it does not have.
/// Otherwise the server may ignore cursors, and every page after the first is missing.
package struct XRPCPages: Sendable {
    private let query: XRPCRequest
    private var seen: Set<String> = []
    /// The cursor of the next page. Nil before the first page and after the last.
    package private(set) var cursor: String?
    private var isOver = false
    /// The page that was read last. Nil before the first.
    private var previous: XRPCPage?

    /// What follows a page.
    package enum Successor: Sendable, Hashable {
        case page
        case none
        /// Nothing, though the page has a cursor: one that came before.
        case noneButCursor
    }

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
    @discardableResult
    package mutating func advance(past page: XRPCPage) throws(RepeatedCursor) -> Successor {
        let (asked, before) = (cursor, previous)
        isOver = true
        cursor = nil
        previous = page
        guard let next = page.cursor else { return .none }
        guard seen.insert(next).inserted else {
            let isLast = next == asked && before.map { page.sharesNoItem(with: $0) } == true
            guard page.hasNoItems || isLast else { throw RepeatedCursor() }
            return .noneButCursor
        }
        cursor = next
        isOver = false
        return .page
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
    ///
    /// - Parameter leniency: the flaws that the page may have. A cursor that such a flaw touches is an error, because the next request
    ///   would ask for something else.
    package init(_ body: [UInt8], leniency: JSONFlaws = .halfSurrogates) throws(InvalidXRPCPage) {
        let json: JSONValue
        let flaws: JSONFlaws
        do { (json, flaws) = try JSONParser.read(body, leniency: leniency) } catch { throw .json(error) }
        guard case .object(let content) = json else { throw .notAnObject }
        self.content = content
        guard !content.repeats("cursor") else { throw .repeated("cursor") }
        switch content["cursor"] {
        case nil, .null, .string(""): cursor = nil
        case .string(let text):
            guard !flaws.contains(.halfSurrogates) || !text.unicodeScalars.contains("\u{fffd}") else {
                throw .cursorHalfSurrogate
            }
            cursor = text
        case let other?:
            // Some servers count their pages. A query has only texts.
            guard let number = other.integer else { throw .cursor }
            cursor = String(number)
        }
    }

    /// The items of a list; none if the page does not have it.
    package func items(of list: String) throws(InvalidXRPCPage) -> [JSONValue] {
        guard !content.repeats(list) else { throw .repeated(list) }
        return content[list]?.array ?? []
    }

    /// Whether all lists of the page are empty.
    package var hasNoItems: Bool {
        !lists.isEmpty && lists.allSatisfy { content[$0]?.array?.isEmpty == true }
    }

    /// Whether the page has lists, and certainly no item of them is in the same list of another page. Counts in an item may change, so
    /// items are told apart by their names.
    fileprivate func sharesNoItem(with other: XRPCPage) -> Bool {
        !lists.isEmpty
            && lists.allSatisfy { list in
                let (names, others) = (self.names(in: list), other.names(in: list))
                return !names.contains(nil) && !others.contains(nil) && Set(names).isDisjoint(with: others)
            }
    }

    /// What names each item of a list; nil for an item without a name.
    private func names(in list: String) -> [JSONValue?] {
        (content[list]?.array ?? []).map { item in
            guard item.object != nil else { return item }
            return item["uri"] ?? item["post"]?["uri"] ?? item["did"] ?? item["cid"] ?? item["id"]
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
    /// The cursor has half of a surrogate pair, so it can't be sent back.
    case cursorHalfSurrogate
    /// The page has a member twice: the cursor, or the list of items.
    case repeated(String)
}
