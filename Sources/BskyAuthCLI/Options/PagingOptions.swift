internal import ATProto
internal import ArgumentParser
internal import Networking

/// How a query that answers in pages is read.
struct PagingOptions: ParsableArguments {
    @Flag(help: "Follow the cursor to the last page of a query; print a page a line.")
    var paginate = false

    @Flag(help: "The same, and print an item a line.")
    var items = false

    @Option(parsing: .unconditional, help: "Begin where this cursor leads.")
    var cursor: String?

    @Option(help: ArgumentHelp("Stop after so many pages.", valueName: "n"))
    var limitPages: Int?

    /// What a line is; nil where one answer is printed as it comes.
    var line: PagedCall.Line? {
        if items { .item } else if paginate { .page } else { nil }
    }

    /// The cursor to begin with; an empty one leads to the beginning.
    var start: String? { cursor.flatMap { $0.isEmpty ? nil : $0 } }

    /// Refuses what makes no sense with the call.
    func check(_ request: XRPCRequest, includesHead: Bool) throws(Failure) {
        if line == nil, limitPages != nil { throw .usage("--limit-pages goes with --paginate or --items") }
        if let limitPages, limitPages < 1 { throw .usage("--limit-pages takes a number from 1") }
        guard line != nil || cursor != nil else { return }
        guard request.method == .query else {
            throw .usage("only a query has pages; say -X query if \(request.nsid) is one")
        }
        guard request.parameters.values("cursor").isEmpty else {
            throw .usage("say where to begin with --cursor, not as a parameter")
        }
        if line != nil, includesHead { throw .usage("-i shows the head of one answer, not of pages") }
    }
}
