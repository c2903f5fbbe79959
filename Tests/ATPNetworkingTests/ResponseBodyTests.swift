import ATPNetworking
import HTTPTypes
import Synchronization
import Testing

/// A body of given chunks that counts the calls.
private final class Chunks: ResponseBodySource {
    private let left: Mutex<[[UInt8]]>
    private let cancellations = Mutex(0)
    private let failure: TransportError?

    init(_ chunks: [[UInt8]], failure: TransportError? = nil) {
        left = Mutex(chunks)
        self.failure = failure
    }

    var unread: Int { left.withLock { $0.count } }
    var timesCancelled: Int { cancellations.withLock { $0 } }

    func next() async throws(TransportError) -> [UInt8]? {
        let chunk = left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if chunk == nil, let failure { throw failure }
        return chunk
    }

    func cancel() { cancellations.withLock { $0 += 1 } }
}

@Suite("ResponseBody") struct ResponseBodyTests {
    @Test("collects a body of exactly the limit")
    func collect() async throws {
        let source = Chunks([[1, 2], [3]])
        #expect(try await ResponseBody(source).collect(upTo: 3) == [1, 2, 3])
        #expect(source.timesCancelled == 0)
        #expect(try await ResponseBody(Chunks([])).collect(upTo: 0).isEmpty)
    }

    @Test("ends the transfer at the first byte past the limit and reads no further")
    func limit() async {
        let source = Chunks([[1, 2], [3, 4], [5], [6]])
        await #expect(throws: TransportError(.tooLarge(limit: 3), requestWasSent: true)) {
            try await ResponseBody(source).collect(upTo: 3)
        }
        #expect(source.timesCancelled == 1 && source.unread == 2)
    }

    @Test("reads the beginning of a body and no more, whole chunks or not", arguments: [2, 3, 4])
    func beginning(limit: Int) async throws {
        let source = Chunks([[1, 2], [3, 4], [5], [6]])
        let bytes = try await ResponseBody(source).beginning(upTo: limit)
        #expect(bytes == Array([1, 2, 3, 4].prefix(limit)))
        #expect(source.timesCancelled == 1 && source.unread == (limit == 2 ? 3 : 2))
    }

    @Test("the beginning of a short body is all of it")
    func shortBeginning() async throws {
        let source = Chunks([[1, 2], [3]])
        #expect(try await ResponseBody(source).beginning(upTo: 4) == [1, 2, 3])
        #expect(source.timesCancelled == 0)
    }

    @Test("passes on why a body broke off, and never half of it as a whole")
    func failure() async {
        let lost = TransportError(.connectionLost, requestWasSent: true)
        await #expect(throws: lost) {
            try await ResponseBody(Chunks([[1]], failure: lost)).collect(upTo: 10)
        }
    }

    @Test("is a sequence of chunks")
    func sequence() async throws {
        var chunks: [[UInt8]] = []
        for try await chunk in ResponseBody(Chunks([[1], [2, 3]])) { chunks.append(chunk) }
        #expect(chunks == [[1], [2, 3]])
    }
}

@Suite("HTTPFields") struct MediaTypeTests {
    @Test(
        "has the media type without case, space and parameters",
        arguments: [
            ("application/json", "application/json"), ("Application/JSON; charset=utf-8", "application/json"),
            ("text/html ;x", "text/html"), ("image/png\t", "image/png"), (";", ""),
        ])
    func mediaType(value: String, type: String) {
        #expect(([.contentType: value] as HTTPFields).mediaType == type)
    }

    @Test("has no media type without a Content-Type")
    func absent() {
        #expect(([:] as HTTPFields).mediaType == nil)
        #expect(FetchedResponse(status: 200, headerFields: [:], body: []).mediaType == nil)
    }
}

@Suite("RequestBody") struct RequestBodyTests {
    private struct Unsized: RequestBodySource {
        let length: Int64?
        func open(wake: @escaping @Sendable () -> Void) throws -> any RequestBodyReader {
            throw CancellationError()
        }
    }

    @Test("knows its length before it is sent, or says that it doesn't")
    func length() {
        #expect(RequestBody.none.length == 0)
        #expect(RequestBody.bytes([1, 2]).length == 2)
        #expect(RequestBody.stream(Unsized(length: 9)).length == 9)
        #expect(RequestBody.stream(Unsized(length: nil)).length == nil)
    }
}
