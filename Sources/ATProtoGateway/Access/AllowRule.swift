package import ATProtoIdentity
package import ATProtoXRPC

/// One rule of what a program may do: methods by name, or a permission of AT Protocol (atproto.com/specs/permission).
package enum AllowRule: Sendable, Hashable {
    /// One method, by its whole name.
    case method(NSID)
    /// All methods whose names begin with this text in lower case, such as `app.bsky.feed.`.
    case methods(prefix: String)
    /// Writes of records, checked in the body of the request.
    case writes(collections: Set<PermissionScope.Name>, actions: Set<PermissionScope.RecordAction>)
    /// Uploads of these media types.
    case blobs(accept: Set<String>)
    /// Calls of methods at a service.
    case calls(methods: Set<PermissionScope.Name>, audience: PermissionScope.Audience)

    /// The rules of a text: one, or for `include:` those of the permission set, as the lexicons of this version have it.
    ///
    /// A set is expanded here and now, so what its author makes of it later changes nothing.
    package static func all(validating text: String) throws(InvalidAllowRule) -> [AllowRule] {
        guard isSet(text) else { return [try AllowRule(validating: text)] }
        let requested: RequestedScope
        do { requested = try RequestedScope(validating: text) } catch { throw .set(error) }
        let permissions: [PermissionScope]
        switch requested {
        case .permissions(let all, losses: _): permissions = all
        case .unknown(let set): throw .unknownSet(set)
        case .word: throw .unknownSet(nil)
        }
        guard !permissions.isEmpty else { throw .emptySet }
        var rules: [AllowRule] = []
        for permission in permissions { rules.append(try rule(permission)) }
        return rules
    }

    /// Whether a text names a permission set.
    package static func isSet(_ text: String) -> Bool {
        text.hasPrefix("include:") || text.hasPrefix("include?")
    }

    /// Reads `app.bsky.feed.getTimeline`, `app.bsky.feed.*` or `repo:app.bsky.feed.post?action=create`.
    package init(validating text: String) throws(InvalidAllowRule) {
        // A permission may leave out the colon, as in `repo?collection=app.bsky.feed.post`.
        if text.contains(":") || text.contains("?") && !text.prefix(while: { $0 != "?" }).contains(".") {
            self = try Self.permission(text)
        } else if text.hasSuffix(".*") {
            // A whole name after the text shows that it has at least the two parts of a domain.
            guard (try? NSID(validating: text.dropLast() + "x")) != nil else { throw .name }
            self = .methods(prefix: text.dropLast().lowercased())
        } else {
            guard let nsid = try? NSID(validating: text) else { throw .name }
            self = .method(nsid)
        }
    }

    private static func permission(_ text: String) throws(InvalidAllowRule) -> AllowRule {
        let scope: PermissionScope
        do { scope = try PermissionScope(validating: text) } catch { throw .permission(error) }
        return try rule(scope)
    }

    private static func rule(_ permission: PermissionScope) throws(InvalidAllowRule) -> AllowRule {
        switch permission {
        case .repo(let collections, let actions): return .writes(collections: collections, actions: actions)
        case .blob(let accept): return .blobs(accept: accept)
        case .rpc(let methods, let audience): return .calls(methods: methods, audience: audience)
        case .account, .identity, .include: throw .kind
        }
    }
}

/// Why a text is no rule.
package enum InvalidAllowRule: Error, Sendable, Hashable {
    /// Neither the name of a method nor the beginning of names with `.*`.
    case name
    case permission(InvalidPermissionScope)
    /// A permission that no single request shows: `account:` or `identity:`.
    case kind
    /// A permission set for which servers would grant nothing.
    case set(RequestedScope.Fault)
    /// A permission set that the lexicons of this version don't have.
    case unknownSet(NSID?)
    /// A permission set with no permission that counts.
    case emptySet
}

extension Set<PermissionScope.Name> {
    /// Whether a name is among these. Upper and lower case don't count.
    ///
    /// `*` is for the methods of services. Those of `com.atproto` are the PDS's own: it carries them out itself, whatever
    /// service a request names, so they need their own names.
    func allow(_ nsid: NSID) -> Bool {
        contains { name in
            switch name {
            case .any: !nsid.isBelow("com.atproto")
            case .nsid(let other): other.matches(nsid)
            }
        }
    }
}

extension NSID {
    /// Whether two names lead to the same method at a server that ignores case.
    func matches(_ other: NSID) -> Bool { description.lowercased() == other.description.lowercased() }
}
