internal import Synchronization

/// The bytes of a response as they arrive.
///
/// Reading slowly slows the sender: a transport holds back once its buffer is full. The body can be read
/// once. Letting go of it before the end ends the transfer.
package struct ResponseBody: AsyncSequence, Sendable {
    package typealias Element = [UInt8]
    package typealias Failure = TransportError

    private let source: any ResponseBodySource

    package init(_ source: any ResponseBodySource) {
        self.source = source
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(source: source)
    }

    package struct Iterator: AsyncIteratorProtocol {
        let source: any ResponseBodySource

        package mutating func next() async throws(TransportError) -> [UInt8]? {
            try await source.next()
        }

        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TransportError) -> [UInt8]? {
            try await source.next()
        }
    }

    /// Reads to the end.
    ///
    /// - Throws: ``TransportError/Code/tooLarge`` past `limit` bytes; the rest is not read.
    package func collect(upTo limit: Int) async throws(TransportError) -> [UInt8] {
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

    /// Reads the first `limit` bytes, or to the end where that comes before; the rest is not read.
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
    package func cancel() {
        source.cancel()
    }
}

/// Where the chunks of a response come from.
package protocol ResponseBodySource: Sendable {
    /// The next chunk, never empty; nil at the end.
    func next() async throws(TransportError) -> [UInt8]?
    /// Ends the transfer; a later `next()` throws or answers nil.
    func cancel()
}

/// A body that has been read already.
package final class CollectedBody: ResponseBodySource {
    private let rest: Mutex<[UInt8]>

    package init(_ bytes: [UInt8]) {
        rest = Mutex(bytes)
    }

    package func next() async throws(TransportError) -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = [] }
            return rest.isEmpty ? nil : rest
        }
    }

    package func cancel() {
        rest.withLock { $0 = [] }
    }
}
