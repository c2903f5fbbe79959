internal import ATPNetworking
package import ATProtoIdentity

extension PermissionScope: CustomStringConvertible {
    /// The permission as the text of a scope.
    package var description: String {
        switch self {
        case .repo(let collections, let actions):
            let isWhole = actions.count == RecordAction.allCases.count
            return Self.text(
                "repo", "collection", collections.map(\.description).sorted(),
                isWhole ? [] : RecordAction.allCases.filter(actions.contains).map { ("action", $0.rawValue) })
        case .rpc(let methods, let audience):
            return Self.text(
                "rpc", "lxm", methods.map(\.description).sorted(), [("aud", Self.text(audience))])
        case .blob(let accept): return Self.text("blob", "accept", accept.sorted(), [])
        case .account(let attribute, let manages):
            return Self.text("account", "attr", [attribute], manages ? [("action", "manage")] : [])
        case .identity(let attribute): return Self.text("identity", "attr", [attribute], [])
        case .include(let set, let audience):
            return Self.text(
                "include", "nsid", [set.description],
                audience.map { [("aud", $0.description)] } ?? [])
        }
    }

    /// One value stands before the question mark, several after it.
    private static func text(
        _ resource: String, _ name: String, _ values: [String], _ others: [(String, String)]
    ) -> String {
        // A plus means a space only after the question mark.
        let head =
            values.count == 1 ? "\(resource):\(escaped(values[0]).replacing("%2B", with: "+"))" : resource
        let query = (values.count == 1 ? [] : values.map { (name, $0) }) + others
        return query.isEmpty
            ? head : "\(head)?" + query.map { "\($0)=\(escaped($1))" }.joined(separator: "&")
    }

    private static func text(_ audience: Audience) -> String {
        switch audience {
        case .any: "*"
        case .service(let service): service.description
        }
    }

    /// A value as it may stand anywhere in a scope. These three need no escape, and servers write none.
    static func escaped(_ text: String) -> String {
        PercentEncoding.encode(text).replacing("%3A", with: ":").replacing("%2F", with: "/")
            .replacing("%2A", with: "*")
    }

    /// The permission to upload a file of a media type, which servers compare as it is sent; nil if it is no media type.
    package static func upload(ofType type: some StringProtocol) -> PermissionScope? {
        isMediaPattern(String(type)) && !type.contains("*") ? .blob(accept: [String(type)]) : nil
    }

    /// The permission for a method with an audience.
    ///
    /// Servers compare audiences as text, and a permission can't name a DID alone. Such a token needs the permission for
    /// every service.
    package static func needed(for method: NSID, at audience: ServiceAudience) -> PermissionScope {
        switch audience {
        case .did: .rpc(methods: [.nsid(method)], audience: .any)
        case .service(let service): .rpc(methods: [.nsid(method)], audience: .service(service))
        }
    }

    /// The same permissions in fewer, where one can say what several do.
    package static func merged(_ permissions: [PermissionScope]) -> [PermissionScope] {
        permissions.reduce(into: []) { merged, permission in
            for (index, other) in merged.enumerated() {
                guard let both = other.joined(with: permission) else { continue }
                merged[index] = both
                return
            }
            merged.append(permission)
        }
    }

    /// One permission that allows exactly what two do; nil if there is none.
    private func joined(with other: PermissionScope) -> PermissionScope? {
        switch (self, other) {
        case (.repo(let names, let actions), .repo(let others, let otherActions)):
            if names == others { return .repo(collections: names, actions: actions.union(otherActions)) }
            return actions == otherActions ? .repo(collections: names.union(others), actions: actions) : nil
        case (.rpc(let names, let audience), .rpc(let others, let otherAudience))
        where audience == otherAudience:
            return .rpc(methods: names.union(others), audience: audience)
        case (.blob(let types), .blob(let others)): return .blob(accept: types.union(others))
        default: return self == other ? self : nil
        }
    }

    /// The service that a set or a method of Bluesky is for; nil for those of others.
    package static func usualService(of nsid: NSID) -> ServiceReference? {
        if nsid.isBelow("app.bsky") { return .appView }
        return nsid.isBelow("chat.bsky") ? .chat : nil
    }
}
