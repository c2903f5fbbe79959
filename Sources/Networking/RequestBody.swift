/// What a request carries.
package enum RequestBody: Sendable {
    /// No body at all: a procedure without input must not have one.
    case none
    case bytes([UInt8])
    /// A body that is read as it is sent, and can be read again for a nonce challenge or a refresh.
    case stream(any RequestBodySource)

    /// The length in bytes; nil where it isn't known before the end.
    package var length: Int64? {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(let source): source.length
        }
    }
}

/// A body that can be opened from its beginning any number of times.
package protocol RequestBodySource: Sendable {
    /// The length in bytes; nil sends the body chunked.
    var length: Int64? { get }

    func open() throws -> any RequestBodyReader
}

/// One pass over a body.
///
/// Reads happen on the transport's thread: a reader serves memory or a regular file, nothing that waits.
package protocol RequestBodyReader: Sendable {
    /// Puts the next bytes, at most `count`, at the beginning of `room`: what is sent is copied once.
    ///
    /// - Returns: how many; 0 at the end.
    mutating func read(upTo count: Int, into room: inout MutableRawSpan) throws -> Int
}
