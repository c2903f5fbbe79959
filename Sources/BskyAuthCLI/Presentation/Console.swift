internal import ATPJSON
internal import ATPNetworking
internal import ATPPlatform

/// Output: data to standard output, messages for people to standard error.
struct Console: Sendable {
    let isQuiet: Bool
    let isVerbose: Bool
    /// Whether errors are one JSON line.
    let usesJSON: Bool
    /// Whether standard output may have colours.
    let isColored: Bool
    /// The options that commands in hints repeat.
    private let repeated: VaultOptions
    /// A line that says how far the command has come, for those who may be told. Other words take its place.
    let progress: ProgressLine
    /// Receives the messages for people in place of standard error, which the keeper does not have.
    private let relay: (@Sendable (String) -> Void)?
    /// The pager for data; nil if the data goes to standard output.
    private var pager: Pager?

    /// - Parameters:
    ///   - repeated: the options that commands in hints repeat.
    ///   - redraws: whether the terminal can take back what is written.
    init(
        isQuiet: Bool, isVerbose: Bool, usesJSON: Bool, repeating repeated: VaultOptions = VaultOptions(),
        isColored: Bool = false, redraws: Bool = false,
        relay: (@Sendable (String) -> Void)? = nil, pager: Pager? = nil
    ) {
        self.repeated = repeated
        self.relay = relay
        self.pager = pager
        self.isQuiet = isQuiet
        self.isVerbose = isVerbose
        self.usesJSON = usesJSON
        self.isColored = isColored
        progress = ProgressLine(isShown: redraws && !isQuiet && !usesJSON)
    }

    /// Writes data. A reader that has gone away ends the program quietly.
    func write(_ bytes: [UInt8]) throws {
        do {
            if let pager { try pager.write(bytes) } else { try StandardStream.output.write(bytes) }
        } catch let error {
            throw error.isBrokenPipe
                ? Failure(.done, "closed_pipe", "the reader closed the pipe")
                : Failure(.failure, Failure.outputFailed, "standard output can't be written: \(error.reason)")
        }
    }

    func write(line: String) throws {
        try write(Array((line + "\n").utf8))
    }

    func write(_ table: Table) throws {
        let lines = table.lines(fitting: StandardStream.output.size?.columns, isColored: isColored)
        try write(Array(lines.flatMap { $0.utf8 + [0x0a] }))
    }

    /// Writes one JSON document on a line.
    func write(_ json: JSONValue) throws {
        try write(line: text(of: json))
    }

    /// The JSON text of a value for standard output. A terminal gets no character that changes the reading order.
    func text(of json: JSONValue) -> String {
        StandardStream.output.isTerminal ? json.text.escapingDirections : json.text
    }

    /// A text of a result for standard output. A terminal gets no control characters but line breaks and tabs.
    func text(ofData text: String) -> String {
        StandardStream.output.isTerminal ? text.escapingControls : text
    }

    /// Writes a JSON document for a person to read, and in colours only for one: in a file it has to be JSON.
    func write(readable json: JSONValue) throws {
        let isTerminal = StandardStream.output.isTerminal
        let text = json.indentedText(decorating: isColored && isTerminal ? { $0.style.apply(to: $1) } : nil)
        try write(line: isTerminal ? text.escapingDirections : text)
    }

    /// Prints a message for people. `--quiet` silences it.
    func say(_ text: String) {
        if !isQuiet { writeMessage(text) }
    }

    /// Prints a message that the user needs to continue, even with `--quiet`.
    func insist(_ text: String) {
        writeMessage(text)
    }

    /// Prints a message for `--verbose`.
    func detail(_ text: String) {
        if isVerbose { writeMessage(text) }
    }

    /// Prints a failure for people, or as one JSON line for scripts.
    func report(_ failure: Failure) {
        guard failure.status != .done, !failure.isReported else { return }
        let failure = failure.repeating(repeated)
        if usesJSON {
            writeMessage(failure.json.text)
        } else {
            writeMessage("bskyauth: \(failure.message)")
            if let hint = failure.hint { writeMessage("  \(hint)") }
            if let hint = Failure.resumption(failure.cursor) { writeMessage("  \(hint)") }
        }
    }

    /// Prints a message for people about what the document of `--json` will have.
    func tell(_ text: String) {
        if !usesJSON { say(text) }
    }

    /// Reports a failure of a part of the work, which the document of `--json` will have. The command ends with ``Failure/told``.
    func tell(_ failure: Failure) {
        if !usesJSON { report(failure) }
    }

    /// Does the work of a command. If its data is in a pager, waits until the user has left it.
    func paging(_ work: @escaping @Sendable () async throws -> Void) async throws {
        guard let pager else { return try await work() }
        let (result, messages) = await pager.accompany(work)
        for message in messages { unpaged.writeMessage(message) }
        pager.obeySignals()
        try result.get()
    }

    /// The console without the pager.
    var unpaged: Console {
        var console = self
        console.pager = nil
        return console
    }

    private func writeMessage(_ text: String) {
        if let relay { return relay(text) }
        guard pager?.keep(text) != true else { return }
        progress.clear()
        // If standard error is closed, the message can't be reported.
        try? StandardStream.error.write(Array((text + "\n").utf8))
    }
}
