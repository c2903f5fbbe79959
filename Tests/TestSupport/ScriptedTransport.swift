package import ATPJSON
package import ATPNetworking
package import HTTPTypes
import Synchronization

/// A network that answers from a script and keeps the requests.
///
/// A URL with answers of its own gives them in order and repeats the last one. Every other request takes the
/// next answer of the queue. With an empty queue, the name does not resolve.
package final class ScriptedTransport: HTTPTransport {
    package enum Answer: Sendable {
        case response(Int, HTTPFields, [UInt8])
        case failure(TransportError)
        /// No answer until the sending task is cancelled.
        case silence
        /// The answer comes after the test opens the gate.
        indirect case held(Gate, Answer)

        package static func failure(_ code: TransportError.Code, wasSent: Bool = false) -> Answer {
            .failure(TransportError(code, requestWasSent: wasSent))
        }

        package static func json(
            _ json: JSONValue, status: Int = 200, _ fields: HTTPFields = [:]
        ) -> Answer {
            text(json.text, status: status, type: "application/json", fields)
        }

        package static func text(
            _ text: String, status: Int = 200, type: String = "text/plain", _ fields: HTTPFields = [:]
        ) -> Answer {
            var fields = fields
            fields[.contentType] = type
            return .response(status, fields, Array(text.utf8))
        }

        package static func redirect(_ location: String, status: Int = 302) -> Answer {
            .response(status, [.location: location], [])
        }
    }

    private struct State {
        var queue: ArraySlice<Answer> = []
        var answersByURL: [String: [Answer]] = [:]
        var observers: [String: @Sendable () -> Void] = [:]
        var requests: [TransportRequest] = []
        var bodies: [ScriptedBody] = []

        mutating func nextAnswer(to url: HTTPURL) -> Answer? {
            for key in [url.description, url.withoutQuery] {
                guard let answers = answersByURL[key], let answer = answers.first else { continue }
                if answers.count > 1 { answersByURL[key] = Array(answers.dropFirst()) }
                return answer
            }
            return queue.popFirst()
        }
    }

    private let state: Mutex<State>

    /// A network that gives these answers in order, whatever the URL.
    package init(_ answers: [Answer]) {
        state = Mutex(State(queue: answers[...]))
    }

    package convenience init(_ answers: Answer...) {
        self.init(answers)
    }

    /// A network that gives each URL its answer.
    package init(_ answers: [String: Answer]) {
        state = Mutex(State(answersByURL: answers.mapValues { [$0] }))
    }

    /// Replaces the answers of a URL. A URL without a query stands for all its queries.
    package func answer(_ url: String, _ answers: Answer...) { answer(url, answers) }

    /// Replaces the answers of a URL.
    package func answer(_ url: String, _ answers: [Answer]) {
        state.withLock { $0.answersByURL[url] = answers }
    }

    /// Calls `observer` whenever a request for the URL, without its query, arrives.
    package func observe(_ url: String, _ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observers[url] = observer }
    }

    package var requests: [TransportRequest] { state.withLock(\.requests) }
    package var urls: [String] { requests.map(\.url.description) }

    package func requests(to url: String) -> [TransportRequest] {
        requests.filter { $0.url.withoutQuery == url }
    }

    /// How many answers of the queue are left.
    package var unused: Int { state.withLock(\.queue.count) }
    /// The bodies of the responses, to see which were read.
    package var bodies: [ScriptedBody] { state.withLock(\.bodies) }

    package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let (answer, observer) = state.withLock { state in
            state.requests.append(request)
            return (state.nextAnswer(to: request.url), state.observers[request.url.withoutQuery])
        }
        observer?()
        return try await respond(with: answer ?? .failure(.nameNotResolved))
    }

    private func respond(with answer: Answer) async throws(TransportError) -> TransportResponse {
        switch answer {
        case .response(let status, let fields, let bytes):
            let body = ScriptedBody(bytes)
            state.withLock { $0.bodies.append(body) }
            return TransportResponse(status: status, headerFields: fields, body: ResponseBody(body))
        case .failure(let error): throw error
        case .silence:
            try? await Task.sleep(for: .seconds(600))
            throw TransportError(.cancelled, requestWasSent: true)
        case .held(let gate, let answer):
            await gate.wait()
            return try await respond(with: answer)
        }
    }
}

/// A body that arrives in pieces and records what is done to it.
package final class ScriptedBody: ResponseBodySource {
    private struct State {
        var rest: ArraySlice<UInt8>
        var wasRead = false
        var wasCancelled = false
    }

    private let state: Mutex<State>

    init(_ bytes: [UInt8]) {
        state = Mutex(State(rest: bytes[...]))
    }

    /// Whether a piece of the body was asked for.
    package var wasRead: Bool { state.withLock(\.wasRead) }
    package var wasCancelled: Bool { state.withLock(\.wasCancelled) }

    package func next() async throws(TransportError) -> [UInt8]? {
        state.withLock { state in
            state.wasRead = true
            let piece = state.rest.prefix(4096)
            state.rest = state.rest.dropFirst(4096)
            return piece.isEmpty ? nil : Array(piece)
        }
    }

    package func cancel() {
        state.withLock { $0.wasCancelled = true }
    }
}

extension RequestBody {
    /// The bytes of a body that is not streamed.
    package var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}

extension TransportRequest {
    /// The parameters of a form.
    package var form: FormParameters? {
        body.bytes.flatMap { FormParameters(parsing: String(decoding: $0, as: UTF8.self)) }
    }
}
