import Foundation

/// The personal data server: discovery documents and XRPC.
struct PersonalDataServer: Sendable {
    let origins: Origins
    let accounts: AccountRegistry
    let access: ResourceAccess
    let passwordSessions: PasswordSessions
    let repositories: RepositoryStore
    let directory: PLCDirectory
    let limits: RateLimitWindow
    let blobLimit: Int
    let profile: ServerProfile

    func answer(_ exchange: Exchange) async -> Answer {
        if exchange.isPreflight { return Answer(status: 204, headers: Self.preflight(exchange)) }
        switch (exchange.routedMethod, exchange.path) {
        case ("GET", "/.well-known/oauth-protected-resource"):
            return .json(metadata, headers: Self.crossOrigin)
        case ("GET", "/.well-known/atproto-did"):
            return identifier(of: exchange)
        case ("GET", "/.well-known/did.json"):
            return webDocument(exchange)
        case (_, let path) where path.hasPrefix("/xrpc/"):
            return await call(String(path.dropFirst("/xrpc/".count)), exchange)
        default:
            if let words = profile.resourceWords[.routeUnknown] { return words.answer(about: exchange.path) }
            return .notFound(exchange.method, exchange.path)
        }
    }

    private static let crossOrigin: HeaderList = [
        "access-control-allow-origin": "*", "access-control-allow-method": "*",
        "access-control-allow-headers": "*",
    ]

    /// Answers a CORS preflight. Everything is allowed.
    private static func preflight(_ exchange: Exchange) -> HeaderList {
        var headers: HeaderList = [
            "access-control-allow-origin": "*",
            "access-control-allow-methods": "GET,HEAD,PUT,PATCH,POST,DELETE",
            "access-control-max-age": "86400",
            "vary": "Access-Control-Request-Headers",
        ]
        headers["access-control-allow-headers"] = exchange.header("access-control-request-headers")
        return headers
    }

    /// Protected resource metadata, as in case 001 (RFC 9728 §2).
    private var metadata: JSONValue {
        if let text = profile.documents.protectedResource { return origins.document(text) }
        return [
            "resource": .string(origins[.personalDataServer]),
            "authorization_servers": [.string(origins[.authorizationServer])],
            "scopes_supported": [],
            "bearer_methods_supported": ["header"],
            "resource_documentation": "https://atproto.com",
        ]
    }

    /// The DID of the handle that the request was sent to (case 006, `protocol:R5`).
    private func identifier(of exchange: Exchange) -> Answer {
        let authority = exchange.authority ?? ""
        let host = authority.split(separator: ":").first.map { $0.lowercased() } ?? ""
        guard let account = accounts.find(host), account.handle == host else {
            return .text("User not found", status: 404)
        }
        return .text(account.did)
    }

    /// The document of an account whose did:web names the host the request was sent to (`protocol:R15`).
    private func webDocument(_ exchange: Exchange) -> Answer {
        let host = (exchange.authority ?? "").lowercased().replacing(":", with: "%3A")
        guard let account = accounts.find("did:web:" + host) else {
            return .notFound(exchange.method, exchange.path)
        }
        exchange.note { $0.account = account.did }
        return .json(directory.document(of: account))
    }

    /// Runs one XRPC call in the order of the reference server: method, parameters, session, body, handler
    /// (`protocol:R60`).
    private func call(_ nsid: String, _ exchange: Exchange) async -> Answer {
        let method = methods[nsid]
        let unknownNeedsSession = profile.calls.authorizeFirst || profile.calls.proxiesUnknown
        let needed = method?.access ?? (unknownNeedsSession ? .session : .open)
        var answer: Answer
        do throws(XRPCFailure) {
            answer = try await run(method, nsid, exchange, needed)
        } catch {
            answer = error.answer(in: profile)
            if answer.isCrash { return answer }
        }
        if needed.needsAuthorization {
            let auth = exchange.notes.auth
            let givesNonce = profile.nonces.areGivenUnasked ? auth != .bearer : auth == .oauth
            if givesNonce, let nonce = access.proofs.nonces.next {
                answer.headers["dpop-nonce"] = nonce
                answer.headers.add("access-control-expose-headers", "DPoP-Nonce")
            }
            answer.headers["vary"] = "Authorization"
            if answer.headers["www-authenticate"] != nil {
                answer.headers.add("access-control-expose-headers", "WWW-Authenticate")
            }
        }
        if answer.headers["cache-control"] == nil { answer.headers["cache-control"] = "private" }
        answer.headers.merge(limits.headers())
        return answer
    }

    private func run(
        _ method: XRPCMethod?, _ nsid: String, _ exchange: Exchange, _ needed: XRPCMethod.Access
    ) async throws(XRPCFailure) -> Answer {
        let unknown = XRPCFailure(501, "MethodNotImplemented", "Method Not Implemented", .methodUnknown)
        let isFirst = profile.calls.authorizeFirst
        let early = isFirst ? try await access.caller(of: exchange, for: needed) : nil
        guard let method else {
            guard profile.calls.proxiesUnknown else { throw unknown }
            let caller = try await access.caller(of: exchange, for: .session)
            // Another server could know it, but a PDS alone has these. The AppView of Bluesky answers so, too.
            if nsid.hasPrefix("com.atproto."), exchange.header("atproto-proxy") == nil { throw unknown }
            try proxy(nsid, XRPCCall(exchange: exchange, caller: caller))
        }
        guard exchange.routedMethod == method.verb.rawValue else {
            if isFirst { throw unknown }
            throw .invalidRequest(
                "Incorrect HTTP method (\(exchange.method)) expected \(method.verb.rawValue)")
        }
        for name in method.parameters where exchange.query[name]?.isEmpty ?? true {
            throw .invalidRequest("Error: Params must have the property \"\(name)\"")
        }
        exchange.note { $0.grant = method.grant }
        let caller = isFirst ? early : try await access.caller(of: exchange, for: needed)
        if case .session = needed, let caller, !method.takesDeactivated { try requireActive(caller.account) }
        var call = XRPCCall(exchange: exchange, caller: caller)
        try method.authorize(call)
        call.input = try await input(of: method, exchange)
        return try await method.handle(call)
    }

    /// A deactivated account makes no calls.
    private func requireActive(_ account: Account) throws(XRPCFailure) {
        guard accounts.isActive(account) else {
            throw XRPCFailure(401, "AccountDeactivated", "Account is deactivated")
        }
    }

    /// Passes a method that the PDS does not know on to the AppView, which does not answer here.
    private func proxy(_ nsid: String, _ call: XRPCCall) throws(XRPCFailure) -> Never {
        try requireCall(nsid, call)
        throw XRPCFailure(502, "UpstreamFailure", "Upstream service unreachable")
    }

    /// Reads the body of a call, and refuses a body that the method does not accept (`protocol:X3`).
    private func input(of method: XRPCMethod, _ exchange: Exchange) async throws(XRPCFailure) -> JSONValue {
        switch method.input {
        case .none:
            if method.verb == .procedure, exchange.announcesBody, !profile.calls.allowsUnexpectedBody {
                throw .invalidRequest("A request body was provided when none was expected")
            }
            return .null
        case .bytes:
            try requireBody(exchange)
            return .null
        case .json(let required):
            try requireBody(exchange)
            guard exchange.mediaType == "application/json" else {
                throw .invalidRequest("Wrong request encoding (Content-Type): \(exchange.mediaType ?? "")")
            }
            let bytes: [UInt8]
            do {
                bytes = try await exchange.body(upTo: 153_600)
            } catch {
                throw XRPCFailure(413, "PayloadTooLarge", "request entity too large")
            }
            guard let json = try? JSONValue(parsing: bytes), json.members != nil else {
                throw .invalidRequest("Unable to parse the request body as JSON", .notJSON)
            }
            for name in required where json[name] == nil {
                throw .invalidRequest("Error: Input must have the property \"\(name)\"")
            }
            return json
        }
    }

    private func requireBody(_ exchange: Exchange) throws(XRPCFailure) {
        guard exchange.header("content-length") != nil || exchange.header("transfer-encoding") != nil else {
            throw .invalidRequest("A request body is expected but none was provided")
        }
        guard exchange.mediaType != nil else {
            throw .invalidRequest("Request encoding (Content-Type) required but not provided")
        }
    }
}
