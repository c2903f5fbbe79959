internal import NIOHTTP1

/// The limits of connections.
struct Limits: Sendable {
    /// The longest request target, in bytes.
    static let requestTarget = 8192
    /// The most bytes of header fields, names and values together.
    static let headerFields = 16384
    /// The most header fields.
    static let headerFieldCount = 100

    /// The most connections at once.
    var connections = 32
    /// The time from the connection to the end of the request head, even if bytes keep coming.
    var requestTime = Duration.seconds(10)
    /// The time from the answer until the server closes a connection that the client leaves open.
    var lingerTime = Duration.seconds(2)

    /// The limits of a request head.
    static var decoder: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = headerFields
        limits.maxHeaderListSize = headerFields
        limits.maxHeaderFieldCount = headerFieldCount
        return limits
    }
}
