internal import ATPNetworking
internal import ATProtoXRPC
internal import ArgumentParser

/// The options for queries with pages.
struct PagingOptions: ParsableArguments {
    @Flag(help: "Read all pages of a query and print one page per line.")
    var paginate = false

    @Flag(help: "Read all pages of a query and print one item per line.")
    var items = false

    @Option(parsing: .unconditional, help: "Begin at this cursor.")
    var cursor: String?

    @Option(help: ArgumentHelp("Stop after this many pages.", valueName: "n"))
    var limitPages: Int?

    /// The content of an output line; nil if one response is printed unchanged.
    var line: PagedCall.Line? {
        if items { .item } else if paginate { .page } else { nil }
    }

    /// The first cursor. An empty cursor means the beginning.
    var start: String? { cursor.flatMap { $0.isEmpty ? nil : $0 } }

    /// Refuses options that contradict the call.
    func check(_ request: XRPCRequest, includesHead: Bool) throws {
        if line == nil, limitPages != nil { throw Failure.usage("--limit-pages needs --paginate or --items") }
        if let limitPages, limitPages < 1 {
            throw Failure.usage("--limit-pages takes a number of at least 1")
        }
        guard line != nil || cursor != nil else { return }
        guard request.method == .query else {
            throw Failure.usage("only a query has pages; if \(request.nsid) is a query, add -X query")
        }
        guard request.parameters.values("cursor").isEmpty else {
            throw Failure.usage("give the cursor with --cursor, not as a parameter")
        }
        if line != nil, includesHead { throw Failure.usage("-i can't be used with --paginate or --items") }
    }
}
