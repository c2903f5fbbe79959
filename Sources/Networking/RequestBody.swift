/// The body of a request.
package enum RequestBody: Sendable {
    /// No body. A procedure without input must not have one.
    case none
    case bytes([UInt8])
    /// A body that is read while it is sent. It can be read again for a retry after a nonce challenge or a refresh.
    case stream(any RequestBodySource)

    /// The length in bytes. Nil if it is not known before the end.
    package var length: Int64? {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(let source): source.length
        }
    }
}

/// A body that can be read from its beginning any number of times.
package protocol RequestBodySource: Sendable {
    /// The length in bytes. Nil sends the body chunked.
    var length: Int64? { get }

    func open() throws -> any RequestBodyReader
}

/// One pass over a body.
///
/// The transport's thread calls the reader, so a reader must not block. It may read memory or a regular file.
package protocol RequestBodyReader: Sendable {
    /// Writes the next bytes, at most `count`, to the beginning of `room`.
    ///
    /// - Returns: the number of bytes, or 0 at the end.
    mutating func read(upTo count: Int, into room: inout MutableRawSpan) throws -> Int
}
