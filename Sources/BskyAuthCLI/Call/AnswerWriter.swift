internal import ATPJSON
internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore
internal import HTTPTypes

/// Prints a response: the unchanged bytes, or formatted text at a terminal.
struct AnswerWriter {
    let request: XRPCRequest
    let console: Console
    let includesHead: Bool
    /// The file for the body, instead of standard output.
    let file: String?
    /// The parts to print, instead of the whole response.
    let part: GetOption

    /// The longest response that is formatted for a terminal, in bytes. A longer one belongs in a file.
    private static let mostShown = 8 << 20
    /// A flaw in a value that was not asked for does not hide the rest. `--get` refuses a path through a repeated name.
    static let leniency: JSONFlaws = [.halfSurrogates, .repeatedNames]

    func write(_ response: TransportResponse) async throws {
        do { try await deliverJudged(response) } catch let failure as Failure
            where failure.code == Failure.outputFailed && request.method == .procedure
        {
            throw ErrorPresenter.notWritten(request, failure)
        }
    }

    /// Prints a response. If it is a web page in place of JSON, such as that of a proxy, the command fails after that.
    private func deliverJudged(_ response: TransportResponse) async throws {
        guard !part.isGiven, response.headerFields.mediaType == "text/html",
            PublicMethods.method(request.nsid)?.output == "application/json"
        else { return try await deliver(response) }
        let body = try await response.body.collect(upTo: Self.mostShown)
        let isPage = (try? JSONParser.parse(body, leniency: Self.leniency)) == nil
        // A page never takes the place of an earlier file.
        if isPage, file != nil { throw ErrorPresenter.webPage(request) }
        try await deliver(response.with(body: body))
        if isPage { throw ErrorPresenter.webPage(request) }
    }

    private func deliver(_ response: TransportResponse) async throws {
        if part.isGiven {
            return try part.write(try await json(response), from: .response(request), to: console)
        }
        if includesHead { try writeHead(response) }
        if file == nil, StandardStream.output.isTerminal {
            try await show(response)
        } else {
            try await pass(response, to: try AnswerSink(console, file: file))
        }
    }

    /// Shows a response that is an error: its head with `-v` on standard error, all of it with `-i` on standard output.
    /// It never goes to the file. If it can't be written, the error itself matters more.
    func write(error response: TransportResponse) async throws {
        for line in head(of: response, isLog: true) { console.detail(line) }
        guard includesHead else { return }
        let whole = AnswerWriter(
            request: request, console: console.unpaged, includesHead: true, file: nil, part: part)
        do {
            try await whole.deliver(response)
        } catch let error as any KnownError {
            let failure = ErrorPresenter.failure(for: error)
            if failure.status != .done { console.say(failure.message) }
        }
    }

    private func writeHead(_ response: TransportResponse) throws {
        for line in head(of: response, isLog: false) + [""] { try console.write(line: line) }
    }

    /// The status and the headers. A log, which people pass on, has no cookies.
    private func head(of response: TransportResponse, isLog: Bool) -> [String] {
        let fields = response.headerFields.map { field in
            let isSecret = isLog && field.name == .setCookie
            return "\(field.name.canonicalName): \(isSecret ? "<redacted>" : field.value.escapedForTerminal)"
        }
        return ["HTTP \(response.status)"] + fields
    }

    /// The response as JSON, for `--get`.
    private func json(_ response: TransportResponse) async throws -> JSONValue {
        let body = try await response.body.collect(upTo: PagedCall.longestPage)
        guard let json = try? JSONParser.parse(body, leniency: Self.leniency) else {
            throw ErrorPresenter.notJSON(request)
        }
        return json
    }

    /// Passes every chunk on when it arrives, and shows the progress if that does not disturb the output.
    private func pass(_ response: TransportResponse, to sink: AnswerSink) async throws {
        let progress = TransferProgress(
            "receiving", total: response.headerFields.bodyLength, on: console.progress)
        defer { progress.end() }
        var count: Int64 = 0
        var chunks = response.body.makeAsyncIterator()
        while true {
            let chunk: [UInt8]?
            chunk = try await chunks.next()
            guard let chunk else { return try sink.finish() }
            try sink.write(chunk)
            count += Int64(chunk.count)
            progress.show(count)
        }
    }

    /// Formats for a terminal: indents JSON, keeps text, and refuses control characters and characters that change the
    /// reading order.
    private func show(_ response: TransportResponse) async throws {
        let bytes: [UInt8]
        do {
            bytes = try await response.body.collect(upTo: Self.mostShown)
        } catch let error {
            if case .tooLarge = error.code.kind { throw Self.notForTerminals }
            throw ErrorPresenter.failure(error)
        }
        if response.headerFields.mediaType == "application/json",
            let json = try? JSONParser.parse(bytes, leniency: Self.leniency)
        {
            return try console.write(readable: json)
        }
        guard let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({
                $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control && !$0.changesDirection
            })
        else { throw Self.notForTerminals }
        try console.write(Array((text.hasSuffix("\n") || text.isEmpty ? text : text + "\n").utf8))
    }

    private static var notForTerminals: Failure {
        Failure(
            .usage, "binary_to_terminal",
            "the response is binary or very long, so it was not printed on the terminal",
            hint: "use -o FILE, or send the output to a pipe")
    }
}
