/// One XRPC method: what it takes, who may call it, and what it does.
struct XRPCMethod: Sendable {
    enum Verb: String {
        case query = "GET"
        case procedure = "POST"
    }

    enum Input {
        case none
        /// A JSON object with these members.
        case json(required: [String])
        /// Any bytes, streamed.
        case bytes
    }

    enum Access {
        case open
        case session
        /// With a refresh JWT (`protocol:A4`).
        case refresh(allowsExpired: Bool)
        /// With the JWT that ends a session: the refresh JWT, also an expired one. Some servers take the access JWT.
        case deletion

        var needsAuthorization: Bool {
            if case .open = self { false } else { true }
        }
    }

    let verb: Verb
    var parameters: [String] = []
    var input = Input.none
    var access = Access.session
    /// Whether a deactivated account may call it.
    var takesDeactivated = false
    /// The name of the requested or spent grant in the journal.
    var grant: String?
    /// Checks of the request's head. They run before the body is read.
    var authorize: @Sendable (XRPCCall) throws(XRPCFailure) -> Void = { (_: XRPCCall) throws(XRPCFailure) in }
    let handle: @Sendable (XRPCCall) async throws(XRPCFailure) -> Answer
}

/// A call on its way to its method.
struct XRPCCall: Sendable {
    let exchange: Exchange
    /// The caller, or `nil` for open methods.
    let caller: Caller?
    /// The body of a method with JSON input.
    var input: JSONValue = .null

    /// A query parameter. An empty one counts as absent (`protocol:X2`).
    func parameter(_ name: String) -> String? {
        exchange.query[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The parameter `limit`, within its bounds.
    func limit(default standard: Int, max most: Int) throws(XRPCFailure) -> Int {
        guard let text = parameter("limit") else { return standard }
        guard let limit = Int(text) else { throw .invalidRequest("Error: limit must be an integer") }
        guard limit >= 1 else { throw .invalidRequest("Error: limit can not be less than 1") }
        guard limit <= most else { throw .invalidRequest("Error: limit can not be greater than \(most)") }
        return limit
    }

    func requireCaller() throws(XRPCFailure) -> Caller {
        guard let caller else { throw .invalidRequest("No session") }
        return caller
    }

    /// Refuses the call unless the caller's scopes allow it.
    func require(_ allowed: (ScopeSet) -> Bool, _ scope: String) throws(XRPCFailure) {
        guard let caller, allowed(caller.scope) else { throw .missingScope(scope) }
    }
}
