package import HTTPTypes
internal import JSON
package import Networking

/// One call of a method, before it has a server and credentials (atproto.com/specs/xrpc; protocol:X1-X3).
package struct XRPCRequest: Sendable {
    /// GET or POST.
    package let method: XRPCMethod
    /// The method that is called.
    package let nsid: NSID
    /// What goes into the query string, in order.
    package var parameters: FormParameters
    /// ``RequestBody/none`` for a procedure without input, which servers insist on (protocol:X3).
    package var body: RequestBody
    /// The media type of the body; sent only with one.
    package var contentType: String
    /// Further fields, `atproto-proxy` among them.
    package var headerFields: HTTPFields

    /// A call with any body.
    package init(
        _ method: XRPCMethod, _ nsid: NSID, parameters: FormParameters = FormParameters(),
        body: RequestBody = .none, contentType: String = "application/json", headerFields: HTTPFields = [:]
    ) {
        self.method = method
        self.nsid = nsid
        self.parameters = parameters
        self.body = body
        self.contentType = contentType
        self.headerFields = headerFields
    }

    /// A call whose body is JSON, or absent.
    package init(_ method: XRPCMethod, _ nsid: NSID, input: XRPCInput, headerFields: HTTPFields = [:]) {
        let body = input.body.map { RequestBody.bytes(Array(JSONValue.object($0).text.utf8)) }
        self.init(
            method, nsid, parameters: input.parameters, body: body ?? .none, headerFields: headerFields)
    }

    /// `{server}/xrpc/{nsid}?{parameters}`.
    package func url(at server: Origin) -> HTTPURL {
        HTTPURL(
            origin: server, path: "/xrpc/\(nsid)", query: parameters.isEmpty ? nil : parameters.encoded)
    }

    /// The request for a server, without credentials. A procedure asks for a fresh connection, since libcurl
    /// would send it twice on one that dies unanswered.
    package func transportRequest(to server: Origin, timeouts: Timeouts = .call) -> TransportRequest {
        var fields = headerFields
        let hasBody = if case .none = body { false } else { true }
        if hasBody, !fields.contains(.contentType) { fields[.contentType] = contentType }
        return TransportRequest(
            method: method == .query ? .get : .post, url: url(at: server), headerFields: fields, body: body,
            timeouts: timeouts, needsFreshConnection: method == .procedure)
    }
}

extension HTTPField.Name {
    /// The service a PDS passes a call on to (protocol:X8).
    package static let atprotoProxy = Self(parsed: "atproto-proxy")
    /// The labelers whose labels an answer should carry (protocol:X10).
    package static let atprotoAcceptLabelers = Self(parsed: "atproto-accept-labelers")
}
