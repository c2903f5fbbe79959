internal import ATPNetworking
package import ATProtoIdentity
public import ATProtoSessions
package import ATProtoXRPC

/// What a program may do with an account, decided for each request.
///
/// Limits stop mistakes, and programs that know nothing but the gateway. They are no wall against a program that can
/// reach the vault.
public struct AccessLimits: Sendable {
    /// What to do with a request.
    package enum Verdict: Equatable, Sendable {
        case pass
        /// Pass it if its body is allowed.
        case readBody
        case refuse(String)
    }

    private let isReadOnly: Bool
    private let rules: [AllowRule]
    private let services: [String]

    /// Everything passes.
    public static let none = AccessLimits(isReadOnly: false, rules: [], services: [])

    /// - Parameters:
    ///   - readOnly: whether only queries pass, of methods that are known to change nothing.
    ///   - rules: what passes. A rule is a method, methods such as `app.bsky.feed.*`, or a permission `repo:`, `blob:`, `rpc:` or
    ///     `include:` (atproto.com/specs/permission). `include:` stands for what its set permitted when this version was made. Without
    ///     rules everything passes.
    ///   - services: the services besides Bluesky's AppView to which the account's server may forward, as
    ///     `did:web:api.bsky.chat#bsky_chat`.
    /// - Throws: `ATProtoFailure.Code.invalidArgument`.
    public init(
        readOnly: Bool = false, rules: [String] = [], services: [String] = []
    ) throws(ATProtoFailure) {
        // Services alone limit nothing, because every service is allowed then.
        guard services.isEmpty || readOnly || !rules.isEmpty else {
            throw ATProtoFailure(.invalidArgument, "services need rules, or reading only")
        }
        self.init(
            isReadOnly: readOnly, rules: try Self.all(rules), services: try services.map(Self.service))
    }

    private static func all(_ texts: [String]) throws(ATProtoFailure) -> [AllowRule] {
        var rules: [AllowRule] = []
        for text in texts { rules += try all(text) }
        return rules
    }

    private static func all(_ text: String) throws(ATProtoFailure) -> [AllowRule] {
        do { return try AllowRule.all(validating: text) } catch {
            throw ATProtoFailure(
                .invalidArgument,
                "\(UntrustedText.harmless(text)) is no rule: a method, methods such as app.bsky.feed.*, or a permission"
            )
        }
    }

    private static func service(_ text: String) throws(ATProtoFailure) -> ServiceReference {
        do { return try ServiceReference(validating: text) } catch {
            throw ATProtoFailure(
                .invalidArgument, "\(UntrustedText.harmless(text)) is no service, as did:web:host#name")
        }
    }

    /// - Parameters:
    ///   - isReadOnly: whether only queries pass, of methods that are known to change nothing.
    ///   - rules: what passes; empty for everything.
    ///   - services: the services besides Bluesky's AppView to which the PDS may forward.
    package init(isReadOnly: Bool, rules: [AllowRule], services: [ServiceReference]) {
        self.isReadOnly = isReadOnly
        self.rules = rules
        self.services = services.map(\.description) + Self.audiences(in: rules) + [Self.appView]
    }

    /// Whether anything is refused at all.
    var areSet: Bool { isReadOnly || !rules.isEmpty }

    private static func audiences(in rules: [AllowRule]) -> [String] {
        rules.compactMap { rule in
            if case .calls(_, .service(let service)) = rule { service.description } else { nil }
        }
    }

    /// The service to which a PDS forwards what it does not know itself.
    package static let appView = ServiceReference.appView.description

    /// Judges a request by everything but its body.
    package func verdict(on request: XRPCRequest) -> Verdict {
        guard areSet else { return .pass }
        if let service = request.service, !services.contains(service) {
            return .refuse("\(service) is not an allowed service")
        }
        if let kind = KnownMethods.lexicons.kind(of: request.nsid), kind != request.method {
            return .refuse("\(request.nsid) is a \(kind == .query ? "query" : "procedure")")
        }
        if isReadOnly, !isHarmless(request) {
            return .refuse("read-only access does not let \(request.nsid) through")
        }
        return rules.isEmpty ? .pass : ruled(request)
    }

    // MARK: Reading only

    /// Queries that do more than read: it makes a conversation.
    private static let activeQueries = ["chat.bsky.convo.getConvoForMembers"]

    private func isHarmless(_ request: XRPCRequest) -> Bool {
        request.method == .query && Self.onlyReads(request.nsid)
    }

    /// Whether a method is known to change nothing.
    static func onlyReads(_ nsid: NSID) -> Bool {
        let known = KnownMethods.lexicons
        return known.kind(of: nsid) == .query && !givesSecret(nsid)
            && !activeQueries.contains(known.spelled(nsid).description)
    }

    // MARK: Rules

    private static let serviceAuth = "com.atproto.server.getServiceAuth"

    /// Methods that give out a secret with which its bearer can do more than the method. Only a rule with the whole name lets
    /// them through. The lexicons of this program need not have them.
    private static let secretGivers = [
        serviceAuth, "com.atproto.space.getDelegationToken", "com.atproto.space.getSpaceCredential",
        "com.atproto.space.authorizeSpaceSync",
    ]

    private static func givesSecret(_ nsid: NSID) -> Bool {
        let name = nsid.description.lowercased()
        return secretGivers.contains { $0.lowercased() == name }
    }

    /// The methods that give out a secret, if a rule has only such methods and is not the whole name of one.
    static func secrets(allowedBy rule: AllowRule) -> [String] {
        switch rule {
        case .methods(let prefix):
            let others = KnownMethods.lexicons.names(after: prefix).contains { !givesSecret($0) }
            return others ? [] : secretGivers.filter { $0.lowercased().hasPrefix(prefix) }
        case .calls(let methods, _):
            let names = methods.map(\.description)
            return names.allSatisfy { name in secretGivers.contains { $0.lowercased() == name.lowercased() } }
                ? names.sorted() : []
        case .method, .writes, .blobs: return []
        }
    }

    private func hasRule(of nsid: NSID) -> Bool {
        rules.contains { if case .method(let named) = $0 { named.matches(nsid) } else { false } }
    }

    private func ruled(_ request: XRPCRequest) -> Verdict {
        let nsid = request.nsid
        if Self.givesSecret(nsid) {
            guard hasRule(of: nsid) else { return .refuse("\(nsid) needs an allow rule with its whole name") }
            return nsid.matches(.getServiceAuth) ? serviceAuth(request) : .pass
        }
        if names(nsid) || calls(nsid, at: request.service ?? Self.appView) { return .pass }
        if RepositoryWrites.isWrite(request), rules.contains(where: \.isAboutWrites) { return .readBody }
        if request.nsid.description == "com.atproto.repo.uploadBlob", accepts(request.contentType) {
            return .pass
        }
        return .refuse("no allow rule lets \(nsid) through")
    }

    /// Whether a rule has the name of a method.
    private func names(_ nsid: NSID) -> Bool {
        rules.contains { rule in
            switch rule {
            case .method(let named): named.matches(nsid)
            case .methods(let prefix): nsid.description.lowercased().hasPrefix(prefix)
            default: false
            }
        }
    }

    /// Whether a rule allows a method at a service.
    ///
    /// - Parameter service: `did#service`, or the DID alone.
    private func calls(_ nsid: NSID, at service: String) -> Bool {
        rules.contains { rule in
            guard case .calls(let methods, let audience) = rule, methods.allow(nsid) else { return false }
            return switch audience {
            case .any: true
            case .service(let named): service == named.description || service == named.did.description
            }
        }
    }

    private func accepts(_ contentType: String) -> Bool {
        let type = contentType.prefix { $0 != ";" }.lowercased()
        return rules.contains { rule in
            guard case .blobs(let patterns) = rule else { return false }
            return PermissionScope.blob(accept: Set(patterns)).allows(.blob(accept: [type]))
        }
    }

    /// A token for another service can do whatever its method does, so the rules must name both.
    private func serviceAuth(_ request: XRPCRequest) -> Verdict {
        let parameters = request.parameters
        guard request.method == .query,
            parameters.all.allSatisfy({ ["aud", "lxm", "exp"].contains($0.name) }),
            Set(parameters.all.map(\.name)).count == parameters.all.count,
            let audience = parameters.single("aud"),
            let method = parameters.single("lxm").flatMap({ try? NSID(validating: $0) })
        else {
            return .refuse("\(Self.serviceAuth) needs aud and lxm, each once, and takes only exp besides")
        }
        guard !Self.givesSecret(method), names(method) || calls(method, at: audience) else {
            return .refuse("no allow rule lets \(method) through, so no token is made for it")
        }
        return .pass
    }

    /// Judges the body of a write.
    ///
    /// - Parameter owner: the names of the account, whose repository alone may be written.
    package func refusal(ofBody body: [UInt8], in request: XRPCRequest, owner: [String]) -> String? {
        do {
            for write in try RepositoryWrites(body, of: request, owner: owner).all where !allows(write) {
                return "no allow rule lets \(write.action.rawValue) \(write.collection) through"
            }
            return nil
        } catch {
            return "the body can't be checked: \(error.reason)"
        }
    }

    private func allows(_ write: RepositoryWrites.Write) -> Bool {
        rules.contains { rule in
            guard case .writes(let collections, let actions) = rule else { return false }
            return actions.contains(write.action)
                && (collections.contains(.any) || collections.contains(.nsid(write.collection)))
        }
    }
}

extension AllowRule {
    fileprivate var isAboutWrites: Bool { if case .writes = self { true } else { false } }
}
