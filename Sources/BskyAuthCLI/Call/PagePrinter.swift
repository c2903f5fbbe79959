internal import ATPJSON
internal import ATProtoXRPC

/// Prints pages as JSON lines: each page, or each of its items.
struct PagePrinter {
    let line: PagedCall.Line
    let console: Console
    /// The file for the lines, instead of standard output.
    let file: String?
    /// Prints the parts that `--get` names, instead of the whole.
    private var parts: PartPrinter?
    /// The file is prepared for the first page, so that a refused call leaves no file.
    private var sink: AnswerSink?
    /// The member with the items, known from the first page. Later pages may leave it out.
    private var list: String?

    init(line: PagedCall.Line, console: Console, file: String?, part: GetOption) {
        self.line = line
        self.console = console
        self.file = file
        parts = part.path.map { PartPrinter(path: $0, from: .each(line), console: console) }
    }

    mutating func print(_ page: XRPCPage) throws {
        let lines = try lines(of: page)
        if parts != nil { return try parts?.print(lines) ?? () }
        if sink == nil { sink = try AnswerSink(console, file: file) }
        // Skip an empty write, so that a closed reader does not matter then.
        guard !lines.isEmpty else { return }
        let texts = lines.map { file == nil ? console.text(of: $0) : $0.text }
        try sink?.write(texts.flatMap { Array($0.utf8) + [0x0a] })
    }

    /// Whether the pages before a failure were printed to stay.
    var keepsParts: Bool { sink?.keepsParts != false }

    /// Completes the file. Fails if `--get` found nothing on any page.
    func finish() throws {
        try sink?.finish()
        try parts?.finish()
    }

    /// The values to print, one on each line.
    mutating func lines(of page: XRPCPage) throws -> [JSONValue] {
        guard line == .item else { return [.object(page.content)] }
        if let list { return try page.items(of: list) }
        let lists = page.lists
        guard let only = lists.first, Set(lists).count == 1 else { throw ErrorPresenter.noSingleList(lists) }
        list = only
        return try page.items(of: only)
    }
}
