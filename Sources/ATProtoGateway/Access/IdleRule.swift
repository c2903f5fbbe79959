package import ATProtoIdentity
internal import ATProtoXRPC

/// Why a rule lets nothing through, as far as the lexicons of this program tell. A newer server may have more methods.
package enum IdleRule: Sendable, Hashable {
    /// No lexicon has the method.
    case unknownMethod(NSID)
    /// No lexicon has a method whose name begins like this.
    case noMethod
    /// It has only methods that give out a secret, and these need rules with their whole names.
    case secrets([String])
    /// It allows only what may change something, and the limits allow only reading.
    case changes
}

extension AllowRule {
    /// Why the rule lets nothing through; nil if it may.
    ///
    /// - Parameter isReadOnly: whether the limits allow only reading, too.
    package func idleness(isReadOnly: Bool) -> IdleRule? {
        let secrets = AccessLimits.secrets(allowedBy: self)
        if !secrets.isEmpty { return .secrets(secrets) }
        return switch self {
        case .method(let nsid) where KnownMethods.lexicons.kind(of: nsid) == nil: .unknownMethod(nsid)
        case .methods(let prefix) where KnownMethods.lexicons.names(after: prefix).isEmpty: .noMethod
        default: isReadOnly && !mayRead ? .changes : nil
        }
    }

    /// Whether the rule names a method that is known to change nothing.
    private var mayRead: Bool {
        func onlyReads(_ nsid: NSID) -> Bool { AccessLimits.onlyReads(nsid) }
        return switch self {
        case .method(let nsid): onlyReads(nsid)
        case .methods(let prefix): KnownMethods.lexicons.names(after: prefix).contains(where: onlyReads)
        case .writes, .blobs: false
        case .calls(let methods, _):
            methods.contains { if case .nsid(let nsid) = $0 { onlyReads(nsid) } else { true } }
        }
    }
}
