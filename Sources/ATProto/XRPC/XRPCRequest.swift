package import HTTPTypes
internal import JSON
package import Networking

/// Whether a method is asked with GET or POST (atproto.com/specs/xrpc; protocol:X1).
package enum XRPCMethod: Sendable, Hashable {
    case query
    case procedure

    /// Guesses from the verb that the method's name starts with. Right for all 177 queries and 139 of the
    /// 142 procedures of the public lexicons; a wrong guess is answered with
    /// ``XRPCError/saysWrongMethod``.
    package init(inferredFrom nsid: NSID) {
        let isQuery = Self.queryVerbs.contains { verb in
            // The verb is a whole word: `getter` and `listen` are not `get` and `list`.
            nsid.name.hasPrefix(verb) && nsid.name.dropFirst(verb.count).first?.isLowercase != true
        }
        self = isQuery ? .query : .procedure
    }

    private static let queryVerbs = [
        "get", "list", "search", "query", "resolve", "describe", "check", "find", "export", "fetch",
        "dereference",
    ]
}

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

extension XRPCRequest {
    /// Whether it may be sent again when nobody knows what became of it the first time: queries, and procedures
    /// that leave behind the same whether they are called once or twice.
    ///
    /// Lexicons have no field for this. The procedures are those that by their public lexicon set or take away
    /// what their input names, or that it calls idempotent. A name of another lexicon proves nothing, whatever
    /// its verb.
    package var isIdempotent: Bool {
        method == .query || Self.idempotentProcedures.contains(nsid.description)
    }

    /// By their names.
    package static let idempotentProcedures: Set<String> = [
        // The record is there with that content; it is not there; and a blob is named by its bytes.
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
