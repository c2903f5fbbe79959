package import ATPNetworking
package import HTTPTypes
internal import NIOHTTP1

/// One request of a program on this machine.
package struct IncomingRequest: Sendable {
    package let method: HTTPRequest.Method
    /// The request target in origin form, such as `/path?query`.
    package let target: String
    package let headerFields: HTTPFields
    package let body: RequestBody
    /// The port of 127.0.0.1 that it came to; nil for a socket.
    package let port: Int?
    /// Is called when the sender has shown a secret, so that its connection may stay.
    package let secretShown: @Sendable () -> Void
}

/// An answer to a request.
package struct OutgoingAnswer: Sendable {
    let response: TransportResponse
    let endsConnection: Bool

    /// - Parameter endsConnection: whether the connection ends after the answer.
    package init(response: TransportResponse, endsConnection: Bool) {
        self.response = response
        self.endsConnection = endsConnection
    }
}

/// Why the head of a request is refused.
struct InvalidRequestHead: Error {
    /// One sentence for the author of the program.
    let reason: String

    static func foreignHost(_ host: String?) -> InvalidRequestHead {
        InvalidRequestHead(
            reason: host.map {
                "use exactly the address http://\($0), because the Host must be the same"
            }
                ?? "the request must have one Host header")
    }

    static let webPage = InvalidRequestHead(
        reason: "web pages are not answered: the request has an Origin header")
    static let version = InvalidRequestHead(reason: "only HTTP/1.1 and HTTP/1.0 are answered")
    static let method = InvalidRequestHead(reason: "the method has characters that no method has")
    static let framing = InvalidRequestHead(reason: "the end of the request's body is not certain")
    static let field = InvalidRequestHead(reason: "a header has a broken name or value")
    static let expectation = InvalidRequestHead(
        reason: "the only Expect header that is answered is 100-continue")
}

/// The head of a request with its framing (RFC 9112 §6).
struct RequestHead {
    enum Framing: Equatable {
        case none
        case length(Int64)
        case chunked
    }

    let method: HTTPRequest.Method
    let fields: HTTPFields
    let framing: Framing
    let expectsContinue: Bool
    /// Whether it asks for another protocol. It does not get it, and the parser reads nothing after such a request.
    let wantsUpgrade: Bool

    /// - Parameter host: the one `Host` that is ours; nil if any will do.
    /// - Throws: for a head that servers could understand in different ways, and for one that a browser's page caused.
    init(_ head: HTTPRequestHead, host: String?) throws(InvalidRequestHead) {
        let headers = head.headers
        try Self.checkSender(headers, host)
        guard head.version == .http1_1 || head.version == .http1_0 else { throw .version }
        guard let method = HTTPRequest.Method(rawValue: head.method.rawValue) else { throw .method }
        guard let framing = Self.framing(of: headers, isOld: head.version == .http1_0) else { throw .framing }
        let expectations = headers["Expect"].map { $0.lowercased() }
        guard expectations.isEmpty || expectations == ["100-continue"] else { throw .expectation }
        wantsUpgrade = !headers["Upgrade"].isEmpty || method == .connect
        self.method = method
        fields = try Self.fields(headers)
        self.framing = framing
        expectsContinue = !expectations.isEmpty && framing != .none
    }

    private static func checkSender(_ headers: HTTPHeaders, _ host: String?) throws(InvalidRequestHead) {
        guard headers["Host"].count == 1, host == nil || headers["Host"] == [host ?? ""] else {
            throw .foreignHost(host)
        }
        // Pages of other sites, whose programs must not use the session.
        guard headers["Origin"].isEmpty else { throw .webPage }
    }

    private static func fields(_ headers: HTTPHeaders) throws(InvalidRequestHead) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in headers {
            // Space after a value is not part of it (RFC 9112 §5).
            let end = value.lastIndex { $0 != " " && $0 != "\t" }
            let value = end.map { String(value[...$0]) } ?? ""
            guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else { throw .field }
            fields.append(HTTPField(name: name, value: value))
        }
        return fields
    }

    private static func framing(of headers: HTTPHeaders, isOld: Bool) -> Framing? {
        let encodings = headers["Transfer-Encoding"]
        let lengths = headers["Content-Length"]
        if !encodings.isEmpty {
            let isChunked = encodings.map { $0.lowercased() } == ["chunked"]
            return isChunked && lengths.isEmpty && !isOld ? .chunked : nil
        }
        guard let text = lengths.first else { return Framing.none }
        guard lengths.count == 1, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int64(text)
        else { return nil }
        return length == 0 ? Framing.none : .length(length)
    }
}
