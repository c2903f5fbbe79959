internal import ATProtoOAuth
internal import ATProtoXRPC
internal import OAuthDPoP

/// Compares the granted scope with the requested scope.
enum GrantedScope {
    /// The requested permissions that were not granted (protocol:R48).
    ///
    /// Granular permissions are compared by meaning, because servers may spell them differently. An `include:` comes
    /// back as the permissions that it stands for, so it counts as granted (protocol:S6).
    static func missing(from granted: Scope, requested: Scope) -> [String] {
        let meanings = Set(granted.values.compactMap { try? PermissionScope(validating: $0) })
        return requested.missing(from: granted).filter { text in
            guard let meaning = try? PermissionScope(validating: text) else { return true }
            return !meanings.contains(meaning)
        }
    }
}
