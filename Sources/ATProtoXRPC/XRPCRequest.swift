internal import ATPJSON
package import ATPNetworking
package import ATProtoIdentity
package import HTTPTypes

/// The kind of a method: a query uses GET, a procedure uses POST (atproto.com/specs/xrpc; protocol:X1).
public enum XRPCMethod: Sendable, Hashable {
    /// Reads, with GET.
    case query
    /// Changes, with POST.
    case procedure

    /// Guesses from the verb at the beginning of the method's name. ``XRPCError/saysWrongMethod`` shows a wrong
    /// guess.
    package init(inferredFrom nsid: NSID) {
        let isQuery = Self.queryVerbs.contains { verb in
            // The verb must be a whole word: `getter` and `listen` don't count.
            nsid.name.hasPrefix(verb) && nsid.name.dropFirst(verb.count).first?.isLowercase != true
        }
        self = isQuery ? .query : .procedure
    }

    private static let queryVerbs = [
        "get", "list", "search", "query", "resolve", "describe", "check", "find", "export", "fetch",
        "dereference",
    ]
}

/// A call of a method, without a server and credentials (atproto.com/specs/xrpc; protocol:X1-X3).
package struct XRPCRequest: Sendable {
    /// The kind of the method.
    package let method: XRPCMethod
    /// The name of the method.
    package let nsid: NSID
    /// The parameters of the query string, in order.
    package var parameters: FormParameters
    /// The body. A procedure without input must have ``RequestBody/none`` (protocol:X3).
    package var body: RequestBody
    /// The media type of the body. Not sent without a body.
    package var contentType: String
    /// Other header fields, such as `atproto-proxy`.
    package var headerFields: HTTPFields
    /// Whether only a lexicon of others says that the method is a query. Its author can call anything a query.
    package var isForeignQuery = false

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

    /// A call with a JSON body or none.
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

    /// The request to a server, without credentials. A procedure needs a fresh connection, because libcurl resends
    /// a request when a reused connection ends without a response.
    package func transportRequest(to server: Origin, timeouts: Timeouts = .call) -> TransportRequest {
        var fields = headerFields
        let hasBody = if case .none = body { false } else { true }
        if hasBody, !fields.contains(.contentType) { fields[.contentType] = contentType }
        return TransportRequest(
            method: method == .query ? .get : .post, url: url(at: server), headerFields: fields, body: body,
            timeouts: timeouts, needsFreshConnection: !onlyReads)
    }

    /// Whether the call changes nothing, so that it may be sent twice. The word of others counts only together with the name.
    private var onlyReads: Bool {
        method == .query && (!isForeignQuery || XRPCMethod(inferredFrom: nsid) == .query)
    }
}

extension XRPCRequest {
    /// The service to which the PDS is to forward the request; nil if it decides itself.
    package var service: String? { HTTPField.Name.atprotoProxy.flatMap { headerFields[$0] } }
}

extension HTTPField.Name {
    /// The service to which the PDS forwards a call (protocol:X8).
    package static let atprotoProxy = Self(parsed: "atproto-proxy")
    /// The labelers whose labels the response should contain (protocol:X10).
    package static let atprotoAcceptLabelers = Self(parsed: "atproto-accept-labelers")
}

extension XRPCRequest {
    /// Whether the call may be sent again if the outcome of the first attempt is unknown. True for queries, and for
    /// procedures that have the same effect once or twice.
    ///
    /// Lexicons have no field for this. The list has the procedures of the public lexicons that set or remove
    /// what their input names, or whose description calls them idempotent. For other lexicons the verb of a name
    /// proves nothing.
    package var isIdempotent: Bool {
        onlyReads || Self.idempotentProcedures.contains(nsid.description)
    }

    /// The names of idempotent procedures.
    package static let idempotentProcedures: Set<String> = [
        // These set a record, remove a record, or store a blob under the hash of its bytes.
        "com.atproto.repo.putRecord", "com.atproto.repo.deleteRecord", "com.atproto.repo.uploadBlob",
        "com.atproto.identity.updateHandle",
        "app.bsky.actor.putPreferences",
        "app.bsky.bookmark.deleteBookmark",
        "app.bsky.graph.muteActor", "app.bsky.graph.unmuteActor",
        "app.bsky.graph.muteActorList", "app.bsky.graph.unmuteActorList",
        "app.bsky.graph.muteThread", "app.bsky.graph.unmuteThread",
        "app.bsky.notification.putActivitySubscription", "app.bsky.notification.putPreferences",
        "app.bsky.notification.putPreferencesV2", "app.bsky.notification.updateSeen",
        "chat.bsky.convo.muteConvo", "chat.bsky.convo.unmuteConvo",
        // "It is idempotent, so multiple calls from the same user with the same emoji result in a single reaction."
        "chat.bsky.convo.addReaction", "chat.bsky.convo.removeReaction",
    ]
}
