package import ATPJSON
package import ATProtoIdentity
internal import ATProtoLexicons

/// What a server grants for a scope that includes a permission set (atproto.com/specs/permission; protocol:S11).
///
/// A server drops a permission as a whole for any fault in it, and says nothing.
package struct SetExpansion: Sendable, Hashable {
    /// A permission of the set that grants nothing, and why.
    package struct Loss: Sendable, Hashable {
        package enum Reason: Sendable, Hashable {
            /// Sets can only permit calls and writes.
            case resource(String)
            /// A member that servers don't know.
            case member(String)
            /// A member that is missing or has a wrong value.
            case value(String)
            /// A name outside of the set's own namespace.
            case foreign(String)
            /// The permission takes the audience from the scope, which has none.
            case noAudience
        }

        /// The place of the permission in the set, from 0.
        package let index: Int
        package let reason: Reason
    }

    package private(set) var permissions: [PermissionScope] = []
    package private(set) var losses: [Loss] = []

    /// Expands `include:SET?aud=AUDIENCE`.
    ///
    /// - Parameter set: the name of the set, whose authority limits what it can permit.
    package init(_ permissions: [JSONObject], of set: NSID, audience: ServiceReference?) {
        for (index, permission) in permissions.enumerated() {
            do throws(Dropped) {
                self.permissions.append(try Self.read(permission, set, audience))
            } catch {
                losses.append(Loss(index: index, reason: error.reason))
            }
        }
    }

    /// Expands a set; nil if no lexicon tells it.
    package init?(_ set: NSID, audience: ServiceReference?, _ lexicons: KnownLexicons = .compiled) {
        guard let definition = lexicons.permissionSet(set) else { return nil }
        self.init(definition.permissions, of: set, audience: audience)
    }

    private struct Dropped: Error {
        let reason: Loss.Reason
    }

    private static func read(
        _ permission: JSONObject, _ set: NSID, _ audience: ServiceReference?
    ) throws(Dropped) -> PermissionScope {
        let resource = permission["resource"]?.string ?? ""
        switch resource {
        case "rpc":
            try check(permission, ["lxm", "aud", "inheritAud"])
            let methods = try names(permission, "lxm", under: set)
            return .rpc(methods: methods, audience: try self.audience(permission, audience))
        case "repo":
            try check(permission, ["collection", "action"])
            let collections = try names(permission, "collection", under: set)
            return .repo(collections: collections, actions: try actions(permission))
        default: throw Dropped(reason: .resource(resource))
        }
    }

    private static func check(_ permission: JSONObject, _ members: [String]) throws(Dropped) {
        let known = ["type", "resource"] + members
        if let other = permission.members.first(where: { !known.contains($0.name) }) {
            throw Dropped(reason: .member(other.name))
        }
    }

    /// The names of a list. One that is not in the namespace of the set ends the permission.
    private static func names(
        _ permission: JSONObject, _ member: String, under set: NSID
    ) throws(Dropped) -> Set<PermissionScope.Name> {
        guard let texts = permission[member]?.strings, !texts.isEmpty else {
            throw Dropped(reason: .value(member))
        }
        var names: Set<PermissionScope.Name> = []
        for text in texts {
            guard let nsid = try? NSID(validating: text) else { throw Dropped(reason: .value(member)) }
            // Servers compare the text: with other capitals, the name is another one.
            guard nsid.isBelow(set.authority), text == nsid.description else {
                throw Dropped(reason: .foreign(text))
            }
            names.insert(.nsid(nsid))
        }
        return names
    }

    private static func audience(
        _ permission: JSONObject, _ audience: ServiceReference?
    ) throws(Dropped) -> PermissionScope.Audience {
        if let inherits = permission["inheritAud"] {
            // Servers don't know `false`.
            guard inherits == true else { throw Dropped(reason: .value("inheritAud")) }
            guard permission["aud"] == nil else { throw Dropped(reason: .value("aud")) }
            guard let audience else { throw Dropped(reason: .noAudience) }
            return .service(audience)
        }
        guard permission["aud"] == "*" else { throw Dropped(reason: .value("aud")) }
        return .any
    }

    private static func actions(_ permission: JSONObject) throws(Dropped) -> Set<PermissionScope.RecordAction>
    {
        guard let value = permission["action"] else { return Set(PermissionScope.RecordAction.allCases) }
        let actions = (value.strings ?? []).map(PermissionScope.RecordAction.init(rawValue:))
        let known = actions.compactMap { $0 }
        guard !known.isEmpty, known.count == actions.count else { throw Dropped(reason: .value("action")) }
        return Set(known)
    }
}
