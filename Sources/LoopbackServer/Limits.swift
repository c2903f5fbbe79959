/// How much of anything a connection may use.
struct Limits: Sendable {
    /// The longest request target, in bytes.
    static let requestTarget = 8192
    /// The longest header fields, names and values together, in bytes.
    static let headerFields = 16384
    /// The most header fields.
    static let headerFieldCount = 100
    /// The most bytes a client may send at all: request line, fields and their punctuation.
    static let request = requestTarget + headerFields + 1024

    /// How many connections there may be at once.
    var connections = 32
    /// From the connection to the end of the request head, however busily it drips.
    var requestTime = Duration.seconds(10)
    /// From the answer until the connection is closed for a client that does not close it.
    var lingerTime = Duration.seconds(2)
}
