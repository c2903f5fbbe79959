internal import Synchronization

/// The bytes of a response as they arrive.
///
/// A slow reader slows the sender down, because the transport pauses when its buffer is full. The body can be read
/// once. Releasing it before the end ends the transfer.
public struct ResponseBody: AsyncSequence, Sendable {
    /// A chunk as it arrived, never empty.
    public typealias Element = [UInt8]
    /// Why a body is incomplete.
    public typealias Failure = TransportError

    private let source: any ResponseBodySource

    /// A body whose chunks come from a transport.
    public init(_ source: any ResponseBodySource) {
        self.source = source
    }

    /// A body that is already in memory.
    public init(_ bytes: [UInt8]) {
        self.init(CollectedBody(bytes))
    }

    /// The chunks. All iterators of a body share its bytes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source)
    }

    /// Reads the chunks of a body in turn.
    public struct Iterator: AsyncIteratorProtocol {
        let source: any ResponseBodySource

        /// The next chunk. Nil at the end.
        public mutating func next() async throws(TransportError) -> [UInt8]? {
            try await source.next()
        }

        /// The next chunk. Nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TransportError) -> [UInt8]? {
            try await source.next()
        }
    }

    /// Reads to the end.
    ///
    /// - Throws: ``TransportError/Code/tooLarge(limit:)`` after `limit` bytes. The rest is not read.
    public func collect(upTo limit: Int) async throws(TransportError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try await source.next() {
            guard bytes.count + chunk.count <= limit else {
                source.cancel()
                throw TransportError(.tooLarge(limit: limit), requestWasSent: true)
            }
            bytes.append(contentsOf: chunk)
        }
        return bytes
    }

    /// Reads at most the first `limit` bytes. The rest is not read.
    package func beginning(upTo limit: Int) async throws(TransportError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try await source.next() {
            bytes.append(contentsOf: chunk.prefix(limit - bytes.count))
            if bytes.count == limit {
                source.cancel()
                break
            }
        }
        return bytes
    }

    /// Ends the transfer without reading the rest.
    public func cancel() {
        source.cancel()
    }
}

/// The source of a response body's chunks.
public protocol ResponseBodySource: Sendable {
    /// The next chunk, never empty. Nil at the end.
    func next() async throws(TransportError) -> [UInt8]?
    /// Ends the transfer. A later `next()` throws or returns nil.
    func cancel()
}

/// A body that is already in memory.
final class CollectedBody: ResponseBodySource {
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
