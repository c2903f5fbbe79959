internal import ATPNetworking
internal import HTTPTypes
internal import Synchronization

/// The body of an answer that names its length. It throws if it has another length.
///
/// A server that frames its own answer by that length would otherwise send the rest of a longer body as the next answer of the
/// connection.
final class MeasuredBody: ResponseBodySource {
    private let body: ResponseBody
    private let left: Mutex<Int64>

    init(_ body: ResponseBody, length: Int64) {
        self.body = body
        left = Mutex(length)
    }

    func next() async throws(TransportError) -> [UInt8]? {
        var iterator = body.makeAsyncIterator()
        let bytes = try await iterator.next()
        let left = left.withLock { left in
            left -= Int64(bytes?.count ?? 0)
            return left
        }
        guard bytes == nil ? left == 0 : left >= 0 else {
            body.cancel()
            throw TransportError(
                .connectionLost, requestWasSent: true,
                detail: "the body is not as long as Content-Length says")
        }
        return bytes
    }

    func cancel() { body.cancel() }
}

extension HTTPFields {
    /// The length of the body. Nil if the body is framed in another way, or if the length can be read in two ways
    /// (RFC 9112 §6.3).
    var framedLength: Int64? {
        guard !contains(.transferEncoding), let text = onlyValue(of: .contentLength),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int64(text)
    }
}
