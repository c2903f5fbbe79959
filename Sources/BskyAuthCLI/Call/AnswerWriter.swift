internal import HTTPTypes
internal import JSON
internal import Networking
internal import Platform

/// Prints an answer: the bytes as they came, or made readable where a person looks.
struct AnswerWriter {
    let console: Console
    let includesHead: Bool
    /// Where the body goes instead of standard output.
    let file: String?

    /// What of an answer is formatted for a person; anything longer is for a file.
    private static let mostShown = 8 << 20

    func write(_ response: TransportResponse) async throws {
        if includesHead { try writeHead(response) }
        if file == nil, StandardStream.output.isTerminal {
            try await show(response)
        } else {
            try await pass(response, to: try AnswerSink(console, file: file))
        }
    }

    private func writeHead(_ response: TransportResponse) throws {
        try console.write(line: "HTTP \(response.status)")
        for field in response.headerFields {
            try console.write(line: "\(field.name.canonicalName): \(field.value.shown)")
        }
        try console.write(line: "")
    }

    /// Hands every chunk on as it arrives, telling how far it is where that does not get in the way.
    private func pass(_ response: TransportResponse, to sink: AnswerSink) async throws {
        let progress = TransferProgress(
            "receiving", total: response.headerFields.bodyLength, on: console.progress)
        defer { progress.end() }
        var count: Int64 = 0
        var chunks = response.body.makeAsyncIterator()
        while true {
            let chunk: [UInt8]?
            chunk = try await chunks.next()
            guard let chunk else { return }
            try sink.write(chunk)
            count += Int64(chunk.count)
            progress.show(count)
        }
    }

    /// For a terminal: JSON indented, text as it is, anything a terminal would obey not at all.
    private func show(_ response: TransportResponse) async throws {
        let bytes: [UInt8]
        do {
            bytes = try await response.body.collect(upTo: Self.mostShown)
        } catch let error {
            if case .tooLarge = error.code { throw Self.notForTerminals }
            throw ErrorPresenter.failure(error)
        }
        if response.headerFields.mediaType == "application/json", let json = try? JSONParser.parse(bytes) {
            return try console.write(readable: json)
        }
        guard let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({
                $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control
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
