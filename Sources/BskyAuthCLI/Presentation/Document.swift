internal import ATPJSON

/// The result of a command. ``Console/write(_:)-(Document)`` decides how it is shown, so commands need not know the forms of results.
///
/// Its parts are made when they are written. Most results need only one of them, and some are costly.
struct Document {
    /// A result for people.
    enum Text {
        case table(Table)
        case lines([String])
    }

    /// The result with `--json`, and the value at which the path of `--get` begins.
    fileprivate let json: () async throws -> JSONValue
    /// `--get`; nil for a command without it.
    fileprivate let part: GetOption?
    fileprivate let text: () async throws -> Text?
    fileprivate let failure: () -> Failure?
    fileprivate let messages: () async throws -> Void
    fileprivate let afterwards: () async throws -> Void

    /// - Parameters:
    ///   - text: what people see on standard output; nil for nothing.
    ///   - failure: what the command ends with. The text and the messages have it already.
    ///   - messages: tells people on standard error what the JSON has.
    ///   - afterwards: tells people on standard error what no form of the result has. It may fail.
    init(
        json: @escaping () async throws -> JSONValue, part: GetOption? = nil,
        text: @escaping () async throws -> Text? = { nil },
        failure: @autoclosure @escaping () -> Failure? = nil,
        messages: @escaping () async throws -> Void = {}, afterwards: @escaping () async throws -> Void = {}
    ) {
        (self.json, self.part, self.text, self.failure) = (json, part, text, failure)
        (self.messages, self.afterwards) = (messages, afterwards)
    }

    init(
        _ json: @autoclosure @escaping () throws -> JSONValue, part: GetOption? = nil,
        text: @autoclosure @escaping () throws -> Text? = nil, failure: Failure? = nil,
        messages: @escaping () async throws -> Void = {}, afterwards: @escaping () async throws -> Void = {}
    ) {
        self.init(
            json: json, part: part, text: text, failure: failure, messages: messages, afterwards: afterwards)
    }
}

extension Console {
    /// Writes the result of a command in the form that the user has chosen.
    func write(_ document: Document) async throws {
        let isForPrograms = usesJSON || document.part?.isGiven == true
        if isForPrograms {
            let json = try await document.json()
            if let part = document.part { try part.write(json, to: self) } else { try write(json) }
        } else {
            switch try await document.text() {
            case .table(let table): try write(table)
            case .lines(let lines): for line in lines { try write(line: line) }
            case nil: break
            }
            try await document.messages()
        }
        try await document.afterwards()
        if let failure = document.failure() { throw isForPrograms ? failure : failure.told }
    }
}
