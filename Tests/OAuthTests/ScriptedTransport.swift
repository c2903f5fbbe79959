import HTTPTypes
import JSON
import Networking
import Synchronization

/// Gives its answers one after the other and keeps what it was asked. A request too many fails.
final class ScriptedTransport: HTTPTransport {
    enum Answer: Sendable {
        case response(Int, HTTPFields, [UInt8])
        case failure(TransportError)

        static func json(_ json: JSONValue, status: Int = 200, _ fields: HTTPFields = [:]) -> Answer {
            var fields = fields
            fields[.contentType] = "application/json"
            return .response(status, fields, Array(json.text.utf8))
        }

        static func text(
            _ text: String, status: Int = 200, type: String = "text/plain", _ fields: HTTPFields = [:]
        ) -> Answer {
            var fields = fields
            fields[.contentType] = type
            return .response(status, fields, Array(text.utf8))
        }
    }

    private struct State {
        var answers: ArraySlice<Answer>
        var requests: [TransportRequest] = []
        var bodies: [ScriptedBody] = []
    }

    private let state: Mutex<State>

    init(_ answers: Answer...) {
        state = Mutex(State(answers: answers[...]))
    }

    init(_ answers: [Answer]) {
        state = Mutex(State(answers: answers[...]))
    }

    var requests: [TransportRequest] { state.withLock(\.requests) }
    /// The answers that nobody asked for.
    var unused: Int { state.withLock(\.answers.count) }
    /// The bodies as they were handed out, to see whether they were read.
    var bodies: [ScriptedBody] { state.withLock(\.bodies) }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers.popFirst()
        }
        switch answer {
        case .response(let status, let fields, let bytes):
            let body = ScriptedBody(bytes)
            state.withLock { $0.bodies.append(body) }
            return TransportResponse(status: status, headerFields: fields, body: ResponseBody(body))
        case .failure(let error): throw error
        case nil: throw TransportError(.nameNotResolved, requestWasSent: false, detail: "not in the script")
        }
    }
}

/// A body that arrives in small pieces.
final class ScriptedBody: ResponseBodySource {
    private let rest: Mutex<ArraySlice<UInt8>>
    private let reads = Mutex(0)
    private let ended = Mutex(false)

    init(_ bytes: [UInt8]) {
        rest = Mutex(bytes[...])
    }

    /// Whether anybody has asked for a piece of it.
    var wasRead: Bool { reads.withLock { $0 > 0 } }
    var wasCancelled: Bool { ended.withLock(\.self) }

    func next() async throws(TransportError) -> [UInt8]? {
        reads.withLock { $0 += 1 }
        return rest.withLock { rest in
            defer { rest = rest.dropFirst(4096) }
            return rest.isEmpty ? nil : Array(rest.prefix(4096))
        }
    }

    func cancel() {
        ended.withLock { $0 = true }
    }
}
