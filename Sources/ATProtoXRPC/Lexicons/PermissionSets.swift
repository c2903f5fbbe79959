package import ATProtoIdentity
package import ATProtoLexicons

/// The published permission sets, as they were when this version was made (atproto.com/specs/permission).
package enum PermissionSets {
    /// A permission set.
    package struct Entry: Sendable, Hashable {
        package let nsid: NSID
        /// What its author calls it.
        package let title: String?
        /// Whether a scope with the set needs an audience.
        package let needsAudience: Bool

        /// The scope with the set, at the service that its methods are for.
        ///
        /// - Parameter audience: another service; nil for the usual one.
        package func scope(at audience: ServiceReference?) -> PermissionScope {
            let service = audience ?? PermissionScope.usualService(of: nsid)
            return .include(nsid, audience: needsAudience ? service : nil)
        }
    }

    /// All sets, in order. Reads the whole edition.
    package static var all: [Entry] {
        CompiledLexicons.permissionSets.compactMap { name in
            let nsid = try? NSID(validating: name)
            return nsid.flatMap { entry($0) }
        }
    }

    /// The set of a name; nil if no lexicon tells it.
    package static func entry(_ nsid: NSID, _ lexicons: KnownLexicons = .compiled) -> Entry? {
        lexicons.permissionSet(nsid).map { entry(nsid, $0) }
    }

    /// A set with its definition.
    package static func entry(_ nsid: NSID, _ set: PermissionSet) -> Entry {
        let expansion = SetExpansion(set.permissions, of: nsid, audience: nil)
        return Entry(
            nsid: nsid, title: set.title,
            needsAudience: expansion.losses.contains { $0.reason == .noAudience })
    }

}
