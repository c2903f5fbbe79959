/// The body of a request.
///
/// The enumeration is closed: a transport has to send every kind of body, so a new kind would be a breaking change.
public enum RequestBody: Sendable {
    /// No body. A procedure without input must not have one.
    case none
    /// A body in memory.
    case bytes([UInt8])
    /// A body that is read while it is sent. It can be read again for a retry after a nonce challenge or a refresh.
    case stream(any RequestBodySource)

    /// The length in bytes. Nil if it is not known before the end.
    public var length: Int64? {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(let source): source.length
        }
    }

    /// Whether a server may well answer before it has the whole body. A shorter body fits into what a client may send before
    /// it has heard from the server (RFC 9113 §6.9.2).
    package var isLong: Bool { length.map { $0 > 65_535 } ?? true }
}

/// A body that can be read from its beginning any number of times.
public protocol RequestBodySource: Sendable {
    /// The length in bytes. Nil sends the body chunked.
    var length: Int64? { get }

    /// Begins a pass over the body.
    ///
    /// - Parameter wake: is called when a read found no bytes yet and reading makes sense again.
    /// - Throws: any error if the body can't be read; the request then fails as ``TransportError/Code/bodyUnreadable``.
    func open(wake: @escaping @Sendable () -> Void) throws -> any RequestBodyReader
}

/// One pass over a body.
///
/// The transport's thread calls the reader, so a reader must not block. It may read memory or a regular file.
public protocol RequestBodyReader: Sendable {
    /// Writes the next bytes, at most `count`, to the beginning of `room`.
    ///
    /// - Returns: the number of bytes, or 0 at the end. Nil if the next bytes have not arrived yet.
    /// - Throws: any error if the body can't be read; the request then fails as ``TransportError/Code/bodyUnreadable``.
    mutating func read(upTo count: Int, into room: inout MutableRawSpan) throws -> Int?
}

extension RequestBodySource {
    /// Reads the whole body, and waits for what has not arrived yet.
    ///
    /// - Returns: nil if it is longer than `limit` bytes.
    package func collect(upTo limit: Int) async throws -> [UInt8]? {
        let (wakes, feed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var wake = wakes.makeAsyncIterator()
        var reader = try open { feed.yield() }
        var bytes: [UInt8] = []
        let most = 64 << 10
        // The span of an Array needs macOS 26.
        var piece = ContiguousArray<UInt8>(repeating: 0, count: most)
        while true {
            var span = piece.mutableSpan
            var room = unsafe span.mutableBytes
            guard let count = try reader.read(upTo: most, into: &room) else {
                guard await wake.next() != nil else { throw CancellationError() }
                continue
            }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else { return nil }
            bytes += piece[..<count]
        }
    }
}
