import ATProto
import HTTPTypes
import JSON
import Networking
import Synchronization

/// Answers from a table of URLs and keeps what it was asked.
final class ScriptedTransport: HTTPTransport {
    enum Answer: Sendable {
        case response(Int, HTTPFields, [UInt8])
        case failure(TransportError.Code)
        /// Nothing until the asking task is cancelled.
        case silence

        static func text(_ text: String, status: Int = 200) -> Answer {
            .response(status, [.contentType: "text/plain"], Array(text.utf8))
        }

        static func json(_ json: JSONValue, status: Int = 200) -> Answer {
            .response(status, [.contentType: "application/json"], Array(json.text.utf8))
        }

        static func redirect(_ location: String, status: Int = 302) -> Answer {
            .response(status, [.location: location], [])
        }
    }

    private let answers: Mutex<[String: Answer]>
    private let log = Mutex<[TransportRequest]>([])

    init(_ answers: [String: Answer] = [:]) {
        self.answers = Mutex(answers)
    }

    func answer(_ url: String, _ answer: Answer) {
        answers.withLock { $0[url] = answer }
    }

    var requests: [TransportRequest] { log.withLock(\.self) }
    var urls: [String] { requests.map(\.url.description) }

    /// A URL that is not in the table is a name that does not resolve.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        log.withLock { $0.append(request) }
        switch answers.withLock({ $0[request.url.description] }) ?? .failure(.nameNotResolved) {
        case .response(let status, let fields, let body):
            return TransportResponse(
                status: status, headerFields: fields, body: ResponseBody(OneChunk(body)))
        case .failure(let code): throw TransportError(code, requestWasSent: false)
        case .silence:
            try? await Task.sleep(for: .seconds(600))
            throw TransportError(.cancelled, requestWasSent: true)
        }
    }
}

/// A body that arrives at once.
private final class OneChunk: ResponseBodySource {
    private let rest: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) {
        rest = Mutex(bytes)
    }

    func next() async throws(TransportError) -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = [] }
            return rest.isEmpty ? nil : rest
        }
    }

    func cancel() {
        rest.withLock { $0 = [] }
    }
}

/// DNS as a table; a name that is not in it has no records.
struct ScriptedTextRecords: TextRecordResolver {
    var records: [String: Result<[String], TextRecordError>] = [:]

    func textRecords(for name: String) async throws(TextRecordError) -> [String] {
        try records[name, default: .success([])].get()
    }
}

/// A clock that moves when it is told to.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private let current = Mutex(Instant(offset: .zero))

    var now: Instant { current.withLock(\.self) }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
    func advance(by duration: Duration) { current.withLock { $0 = $0.advanced(by: duration) } }
}
