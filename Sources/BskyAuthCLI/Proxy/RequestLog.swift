internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoGateway
internal import FoundationEssentials
internal import HTTPTypes
internal import Synchronization

/// A file with a line for each request: time, HTTP method, XRPC method, status, and bytes of the answer. It holds no
/// query, no body and no secret.
final class RequestLog: Sendable {
    private let file: PrivateLogFile
    private let console: Console
    private let hasFailed = Mutex(false)

    init(_ path: String, _ console: Console) throws {
        do { file = try PrivateLogFile(path) } catch {
            throw Failure(
                .failure, "cannot_log", "the log \(path.escapedForTerminal) can't be opened: \(error.reason)",
                hint: Failure.missingDirectory(of: path, error)
                    ?? "name a file of yours, in a directory that you can write to:  --log FILE")
        }
        self.console = console
    }

    /// The response of an answer, with a line in the log when it ends.
    func logging(_ answer: GatewayAnswer, to method: HTTPRequest.Method) -> TransportResponse {
        let response = answer.response
        let body = CountedBody(response.body) { [self] bytes in
            write(
                "\(TimeText.rfc3339(Date())) \(method.rawValue) \(answer.nsid ?? "-") \(response.status) \(bytes)"
            )
        }
        return TransportResponse(
            status: response.status, headerFields: response.headerFields, body: ResponseBody(body))
    }

    private func write(_ line: String) {
        do { try file.append(line: line) } catch {
            let isFirst = hasFailed.withLock { failed in
                defer { failed = true }
                return !failed
            }
            if isFirst { console.say("the log can't be written: \(error.reason)") }
        }
    }
}

/// A body that tells how many bytes of it were read, once, when it is released.
private final class CountedBody: ResponseBodySource {
    private let body: ResponseBody
    private let count = Mutex(0)
    private let end: @Sendable (Int) -> Void

    init(_ body: ResponseBody, end: @escaping @Sendable (Int) -> Void) {
        self.body = body
        self.end = end
    }

    deinit { end(count.withLock { $0 }) }

    func next() async throws(TransportError) -> [UInt8]? {
        var iterator = body.makeAsyncIterator()
        let bytes = try await iterator.next()
        count.withLock { $0 += bytes?.count ?? 0 }
        return bytes
    }

    func cancel() { body.cancel() }
}
