package import HTTPTypes
internal import NIOHTTP1
package import Networking

/// One request of a program on this machine.
package struct IncomingRequest: Sendable {
    package let method: HTTPRequest.Method
    /// The request target in origin form, such as `/path?query`.
    package let target: String
    package let headerFields: HTTPFields
    package let body: RequestBody
    /// Vouches for the connection: its sender has shown that it may use the server.
    package let vouch: @Sendable () -> Void
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

/// The framing of a request (RFC 9112 §6), and what is wrong with its head.
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

    /// nil for a head that servers could understand in different ways, and for one that a browser's page caused.
    ///
    /// - Parameter host: the one `Host` that is ours; nil if any will do.
    init?(_ head: HTTPRequestHead, host: String?) {
        let headers = head.headers
        guard head.version == .http1_1 || head.version == .http1_0,
            let method = HTTPRequest.Method(rawValue: head.method.rawValue),
            let framing = Self.framing(of: headers, isOld: head.version == .http1_0),
            headers["Host"].count == 1, host == nil || headers["Host"] == [host ?? ""],
            // Pages of other sites, whose programs must not use the session.
            headers["Origin"].isEmpty
        else { return nil }
        var fields = HTTPFields()
        for (name, value) in headers {
            // Space after a value is not part of it (RFC 9112 §5).
            let end = value.lastIndex { $0 != " " && $0 != "\t" }
            let value = end.map { String(value[...$0]) } ?? ""
            guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else { return nil }
            fields.append(HTTPField(name: name, value: value))
        }
        let expectations = headers["Expect"].map { $0.lowercased() }
        guard expectations.isEmpty || expectations == ["100-continue"] else { return nil }
        wantsUpgrade = !headers["Upgrade"].isEmpty || method == .connect
        self.method = method
        self.fields = fields
        self.framing = framing
        expectsContinue = !expectations.isEmpty && framing != .none
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
