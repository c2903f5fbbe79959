internal import ATProto
internal import JSON

/// Prints pages as JSON lines: each page, or each of its items.
struct PagePrinter {
    let line: PagedCall.Line
    let console: Console
    let file: String?
    /// Opened for the first page, so that a refusal leaves no file.
    private var sink: AnswerSink?
    /// The member that has the items, known from the first page on: later ones may leave it out.
    private var list: String?

    init(line: PagedCall.Line, console: Console, file: String?) {
        self.line = line
        self.console = console
        self.file = file
    }

    mutating func print(_ page: XRPCPage) throws {
        let lines = try lines(of: page)
        if sink == nil { sink = try AnswerSink(console, file: file) }
        // Nothing is written for nothing, so that a reader that has gone away does not matter then.
        if !lines.isEmpty { try sink?.write(lines.flatMap { Array($0.text.utf8) + [0x0a] }) }
    }

    /// The values that get a line each.
    mutating func lines(of page: XRPCPage) throws -> [JSONValue] {
        guard line == .item else { return [.object(page.content)] }
        if let list { return page.content[list]?.array ?? [] }
        let lists = page.lists
        guard let only = lists.first, lists.count == 1 else { throw ErrorPresenter.noSingleList(lists) }
        list = only
        return page.content[only]?.array ?? []
    }
}
