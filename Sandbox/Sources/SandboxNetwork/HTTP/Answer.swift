import NIOCore

/// The answer to one request.
struct Answer: Sendable {
    enum Body: Sendable {
        case none
        case bytes([UInt8])
        case buffers([ByteBuffer])
        /// This number of spaces, written in pieces (a fault).
        case filler(Int)
        /// The first bytes of a body whose full length was promised (a fault).
        case cut([UInt8], promised: Int)
        /// A body written a few bytes at a time (a fault).
        case drip([UInt8], bytes: Int, every: Duration)
    }

    var status: Int
    var headers: HeaderList
    var body: Body

    init(status: Int, headers: HeaderList = [:], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    static func json(_ value: JSONValue, status: Int = 200, headers: HeaderList = [:]) -> Answer {
        text(value.text, type: "application/json", status: status, headers: headers)
    }

    static func text(
        _ text: String,
        type: String = "text/plain; charset=utf-8",
        status: Int = 200,
        headers: HeaderList = [:]
    ) -> Answer {
        var headers = headers
        if headers["content-type"] == nil { headers["content-type"] = type }
        return Answer(status: status, headers: headers, body: .bytes(Array(text.utf8)))
    }

    /// The answer of an Express server that has no such route, as recorded in case 325.
    static func notFound(_ method: String, _ path: String) -> Answer {
        json(
            ["error": "not_found", "error_description": .string("Cannot \(method) \(path)")],
            status: 404,
            headers: [
                "content-security-policy": "default-src 'none'",
                "x-content-type-options": "nosniff",
            ]
        )
    }

    /// The body's bytes, if they are in memory.
    var bytes: [UInt8]? {
        switch body {
        case .none: []
        case .bytes(let bytes), .cut(let bytes, _), .drip(let bytes, _, _): bytes
        case .buffers, .filler: nil
        }
    }
}
