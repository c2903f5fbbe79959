internal import ATProtoIdentity
internal import ATProtoLexicons

/// What the granted scope of a session allows (atproto.com/specs/permission; protocol:S2, S4).
package struct Permissions: Sendable {
    private let values: Set<String>
    /// In the order of the scope.
    package let permissions: [PermissionScope]

    /// - Parameter values: the values of the scope. An `include:` allows nothing: a server that knows the set names its
    ///   permissions instead (protocol:S6).
    package init(_ values: [String]) {
        self.values = Set(values)
        permissions = values.compactMap { try? PermissionScope(validating: $0) }
    }

    /// What a login asks for: sets count as what they grant, as far as that is known here.
    ///
    /// - Parameter lexicons: tell what sets grant.
    package init(requested values: [String], _ lexicons: KnownLexicons = .compiled) {
        self.values = Set(values)
        permissions = values.flatMap { value -> [PermissionScope] in
            guard
                case .permissions(let all, losses: _)? = try? RequestedScope(validating: value, lexicons)
            else { return [] }
            return all
        }
    }

    /// Whether all of a permission is allowed.
    package func cover(_ permission: PermissionScope) -> Bool { missing(of: permission).isEmpty }

    /// The parts of a permission that are not allowed: each one action in one collection, one method, or one type.
    package func missing(of permission: PermissionScope) -> [PermissionScope] {
        permission.parts.filter { part in
            !isTransitional(part) && !permissions.contains { $0.allows(part) }
        }
    }

    /// What these allow and others don't: parts of permissions, and other values. The same in other words is nothing new.
    package func beyond(_ others: Permissions) -> [String] {
        let words = values.subtracting(others.values).filter { value in
            switch try? PermissionScope(validating: value) {
            case .include, nil: true
            case .repo, .rpc, .blob, .account, .identity: false
            }
        }
        var found: Set<String> = []
        return words.sorted()
            + permissions.flatMap { permission -> [String] in
                if case .include = permission { return [] }
                return others.missing(of: permission).map(\.description)
            }.filter { found.insert($0).inserted }
    }

    /// The values of a requested scope that were not granted (protocol:R48).
    ///
    /// Servers spell permissions in their own way, so they are compared by meaning. A scope that is not known here is
    /// compared as text, but a set counts as granted if anything in its namespace is.
    package func missing(of requested: [String]) -> [MissingScope] {
        requested.compactMap { value in
            switch try? RequestedScope(validating: value) {
            case .word, nil: return values.contains(value) ? nil : MissingScope(value: value, parts: [])
            case .unknown(let set?):
                // An older server keeps the text. What it allows is not known here.
                return values.contains(value) || allowAnything(below: set.authority)
                    ? nil : MissingScope(value: value, parts: [])
            case .unknown(nil): return nil
            case .permissions(let wanted, losses: _):
                let all = wanted.flatMap(\.parts)
                let missing = wanted.flatMap(missing(of:))
                guard !missing.isEmpty || all.isEmpty else { return nil }
                return MissingScope(value: value, parts: missing.count == all.count ? [] : missing)
            }
        }
    }

    private func allowAnything(below domain: String) -> Bool {
        values.contains("transition:generic")
            || permissions.contains { permission in
                switch permission {
                case .repo(let names, _), .rpc(let names, _):
                    names.contains { if case .nsid(let nsid) = $0 { nsid.isBelow(domain) } else { true } }
                case .blob, .account, .identity, .include: false
                }
            }
    }

    /// Whether a scope of the time before permissions allows a part.
    private func isTransitional(_ part: PermissionScope) -> Bool {
        switch part {
        case .repo, .blob: values.contains("transition:generic")
        case .rpc(let methods, _):
            methods.allSatisfy { name in
                guard case .nsid(let nsid) = name else { return false }
                return values.contains(
                    nsid.isBelow("chat.bsky") ? "transition:chat.bsky" : "transition:generic")
            }
        case .account(let attribute, let manages):
            attribute == "email" && !manages && values.contains("transition:email")
        case .identity, .include: false
        }
    }
}

/// A value of a requested scope of which the server granted nothing, or not all.
package struct MissingScope: Sendable, Hashable {
    package let value: String
    /// What is missing; empty if nothing of it was granted.
    package let parts: [PermissionScope]

    package init(value: String, parts: [PermissionScope]) {
        self.value = value
        self.parts = parts
    }
}

extension PermissionScope {
    /// The same permission in the smallest parts, which are what servers check.
    var parts: [PermissionScope] {
        switch self {
        case .repo(let collections, let actions):
            Self.sorted(collections).flatMap { name in
                RecordAction.allCases.filter(actions.contains).map {
                    .repo(collections: [name], actions: [$0])
                }
            }
        case .rpc(let methods, let audience):
            Self.sorted(methods).map { .rpc(methods: [$0], audience: audience) }
        case .blob(let accept): accept.sorted().map { .blob(accept: [$0]) }
        case .account, .identity, .include: [self]
        }
    }

    private static func sorted(_ names: Set<Name>) -> [Name] {
        names.sorted { $0.description < $1.description }
    }

    /// Whether this one permission allows another. Names and audiences are compared as text.
    package func allows(_ other: PermissionScope) -> Bool {
        switch (self, other) {
        case (.repo(let names, let actions), .repo(let others, let otherActions)):
            Self.names(names, cover: others) && otherActions.isSubset(of: actions)
        case (.rpc(let names, let audience), .rpc(let others, let otherAudience)):
            Self.names(names, cover: others) && (audience == .any || audience == otherAudience)
        case (.blob(let accept), .blob(let others)):
            others.allSatisfy { other in accept.contains { MediaPattern.covers($0, other) } }
        case (.account(let attribute, let manages), .account(let other, let otherManages)):
            attribute == other && (manages || !otherManages)
        case (.identity(let attribute), .identity(let other)): attribute == "*" || attribute == other
        default: false
        }
    }

    private static func names(_ names: Set<Name>, cover others: Set<Name>) -> Bool {
        names.contains(.any) || others.isSubset(of: names)
    }
}
