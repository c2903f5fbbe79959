package import ATProtoIdentity
internal import ATProtoLexicons

/// A value of the scope that a login asks for, and what servers make of it (protocol:S2-S6, S9).
package enum RequestedScope: Sendable, Hashable {
    /// A scope that is no permission, such as `transition:generic`.
    case word
    /// A permission, or those that a known set grants.
    case permissions([PermissionScope], losses: [SetExpansion.Loss])
    /// A set whose permissions are not known here. Nil for another resource that only some servers know.
    case unknown(NSID?)

    /// Why servers would drop or refuse a scope.
    package enum Fault: Error, Sendable, Hashable {
        /// A character that no scope can have (RFC 6749 §3.3).
        case character
        case permission(InvalidPermissionScope)
        /// The lexicons of the set's domain are known, and have no such set.
        case noSuchSet(NSID)
        /// Every permission of the set takes the audience from the scope, which has none.
        case noAudience(NSID)
    }

    /// Reads a value.
    ///
    /// - Parameter lexicons: tell what sets permit.
    /// - Throws: the fault for which servers would grant nothing.
    package init(validating text: String, _ lexicons: KnownLexicons = .compiled) throws(Fault) {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }) else {
            throw .character
        }
        if Self.words.contains(text) {
            self = .word
            return
        }
        if text.hasPrefix("space:") || text.hasPrefix("space?") {
            self = .unknown(nil)
            return
        }
        let permission: PermissionScope
        do { permission = try PermissionScope(validating: text) } catch {
            // The reference server also takes `status` and several actions; the specification has neither.
            guard text.hasPrefix("account"),
                error == .value("attr") && text.contains("status") || error == .repeated("action")
            else { throw .permission(error) }
            self = .unknown(nil)
            return
        }
        guard case .include(let set, let audience) = permission else {
            self = .permissions([permission], losses: [])
            return
        }
        guard let expansion = SetExpansion(set, audience: audience, lexicons) else {
            if CompiledLexicons.isOwned(set) { throw .noSuchSet(set) }
            self = .unknown(set)
            return
        }
        if expansion.permissions.isEmpty, !expansion.losses.isEmpty,
            expansion.losses.allSatisfy({ $0.reason == .noAudience })
        {
            throw .noAudience(set)
        }
        self = .permissions(expansion.permissions, losses: expansion.losses)
    }

    private static let words = ["atproto", "transition:generic", "transition:email", "transition:chat.bsky"]

    /// The permission with an audience that servers take; nil if the fault is another, or the service is not known here.
    package static func corrected(_ text: String, _ fault: Fault) -> PermissionScope? {
        switch fault {
        case .noAudience(let set):
            return PermissionScope.usualService(of: set).map { .include(set, audience: $0) }
        case .permission(.audience(let audience)): return corrected(text, audience)
        case .character, .permission, .noSuchSet: return nil
        }
    }

    /// A scope with these permissions too. If a set of it has them and only lacks the audience, that is added to the set.
    package static func extended(_ values: [String], by needed: [PermissionScope]) -> [String] {
        for (place, value) in values.enumerated() {
            guard case .include(let set, audience: nil)? = try? PermissionScope(validating: value),
                case .rpc(_, audience: .service(let service))? = needed.first
            else { continue }
            let whole = PermissionScope.include(set, audience: service).description
            guard needed.allSatisfy(Permissions(requested: [whole]).cover) else { continue }
            var extended = values
            extended[place] = whole
            return extended
        }
        // What a set has is added by itself: a server may have an older copy of the set.
        let asked = Permissions(values)
        return values + needed.filter { !asked.cover($0) }.map(\.description)
    }

    private static func corrected(_ text: String, _ audience: String) -> PermissionScope? {
        // Any good audience shows what the rest of the text means.
        let parts = text.split(separator: "?", maxSplits: 1)
        let others = (parts.count > 1 ? parts[1] : "").split(separator: "&").filter { !$0.hasPrefix("aud=") }
        let query = (others + ["aud=\(PermissionScope.escaped(ServiceReference.appView.description))"])
        let known = [ServiceReference.appView, .chat].first { $0.did.description == audience }
        switch try? PermissionScope(validating: "\(parts.first ?? "")?\(query.joined(separator: "&"))") {
        case .include(let set, _):
            let service = audience == "*" ? PermissionScope.usualService(of: set) : known
            return service.map { .include(set, audience: $0) }
        case .rpc(let methods, _) where audience != "*":
            // For another DID, only `aud=*` would be sure to work, and it is for every service.
            return known.map { .rpc(methods: methods, audience: .service($0)) }
        default: return nil
        }
    }
}
