import HTTPTypes
import JSON
import Networking
import Synchronization

/// Answers each URL with its script, the last answer for ever, and keeps what it was asked. A URL without a
/// script is a name that does not resolve.
final class ScriptedNetwork: HTTPTransport {
    enum Answer: Sendable {
        case response(Int, HTTPFields, [UInt8])
        case failure(TransportError.Code, wasSent: Bool)
        /// The answer after somebody has opened the gate.
        indirect case held(Gate, Answer)

        static func json(_ json: JSONValue, status: Int = 200, _ fields: HTTPFields = [:]) -> Answer {
            var fields = fields
            fields[.contentType] = "application/json"
            return .response(status, fields, Array(json.text.utf8))
        }

        static func text(_ text: String, status: Int = 200, type: String = "text/plain") -> Answer {
            .response(status, [.contentType: type], Array(text.utf8))
        }
    }

    private struct State {
        var scripts: [String: [Answer]] = [:]
        var requests: [TransportRequest] = []
        var observers: [String: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Gives a URL, without its query, another script.
    func answer(_ url: String, _ answers: Answer...) {
        state.withLock { $0.scripts[url] = answers }
    }

    /// Has something looked at the moment a URL is asked.
    func observe(_ url: String, _ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observers[url] = observer }
    }

    var requests: [TransportRequest] { state.withLock(\.requests) }

    func requests(to url: String) -> [TransportRequest] {
        requests.filter { $0.url.withoutQuery == url }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let url = request.url.withoutQuery
        let (answer, observer) = state.withLock { state in
            state.requests.append(request)
            var script = state.scripts[url] ?? []
            let answer = script.first
            if script.count > 1 { script.removeFirst() }
            state.scripts[url] = script
            return (answer, state.observers[url])
        }
        observer?()
        return try await resolve(answer ?? .failure(.nameNotResolved, wasSent: false), url)
    }

    private func resolve(
        _ answer: Answer, _ url: String
    ) async throws(TransportError) -> TransportResponse {
        switch answer {
        case .response(let status, let fields, let bytes):
            return TransportResponse(
                status: status, headerFields: fields, body: ResponseBody(OneChunk(bytes)))
        case .failure(let code, let wasSent): throw TransportError(code, requestWasSent: wasSent, url: url)
        case .held(let gate, let answer):
            await gate.wait()
            return try await resolve(answer, url)
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

extension TransportRequest {
    /// The parameters of a form.
    var form: FormParameters? {
        guard case .bytes(let bytes) = body else { return nil }
        return FormParameters(parsing: String(decoding: bytes, as: UTF8.self))
    }
}
