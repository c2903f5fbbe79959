/// How much of anything a connection may use.
struct Limits: Sendable {
    /// The longest request target, in bytes.
    static let requestTarget = 8192
    /// The longest header fields, names and values together, in bytes; what the parser holds at most.
    static let headerFields = 16384
    /// The most header fields.
    static let headerFieldCount = 100

    /// How many connections there may be at once.
    var connections = 32
    /// From the connection to the end of the request head, however busily it drips.
    var requestTime = Duration.seconds(10)
    /// From the answer until the connection is closed for a client that does not close it.
    var lingerTime = Duration.seconds(2)
}
