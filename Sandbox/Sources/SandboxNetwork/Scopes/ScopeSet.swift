/// Granted scopes and what they allow at the PDS (`protocol:S1`-`S8`).
struct ScopeSet: Sendable {
    let tokens: [String]
    private let permissions: [ScopePermission]

    init(_ text: String) {
        tokens = text.split(separator: " ").map(String.init)
        permissions = tokens.compactMap { ScopePermission($0) }
    }

    var text: String { tokens.joined(separator: " ") }

    /// The set without unknown scopes, which servers drop without an error (`protocol:S5`, case 330).
    var known: ScopeSet {
        ScopeSet(tokens.filter { ScopePermission($0) != nil }.joined(separator: " "))
    }

    /// The set as a token has it: permission sets as what they permit, the other scopes, and `atproto` (`protocol:S6`). A set that is
    /// not published here stays, as at servers from before permission sets.
    var expanded: ScopeSet {
        var (permitted, others): ([String], [String]) = ([], [])
        for token in tokens {
            guard let permission = ScopePermission(token), permission.resource == "include",
                let name = permission.values("nsid").first, let set = PermissionSet.all[name]
            else {
                others.append(token)
                continue
            }
            permitted += set.scopes(of: name, audience: permission.values("aud").first)
        }
        if !permitted.isEmpty, let first = others.firstIndex(of: "atproto") {
            others.append(others.remove(at: first))
        }
        return ScopeSet((permitted + others).joined(separator: " "))
    }

    func contains(_ token: String) -> Bool { tokens.contains(token) }

    func allowsWrite(_ action: String, in collection: String) -> Bool {
        contains("transition:generic")
            || permissions.contains {
                $0.resource == "repo" && ($0.covers("collection", collection) || $0.covers("collection", "*"))
                    && ($0.values("action").isEmpty || $0.covers("action", action))
            }
    }

    func allowsBlob(_ mediaType: String) -> Bool {
        contains("transition:generic")
            || permissions.contains { permission in
                permission.resource == "blob"
                    && permission.values("accept").contains { Self.matches(mediaType, pattern: $0) }
            }
    }

    func allowsCall(_ method: String, audience: String) -> Bool {
        if contains("transition:generic"), !method.hasPrefix("chat.bsky.") { return true }
        if contains("transition:generic"), contains("transition:chat.bsky") { return true }
        return permissions.contains {
            $0.resource == "rpc" && ($0.covers("lxm", method) || $0.covers("lxm", "*"))
                && ($0.covers("aud", audience) || $0.covers("aud", "*"))
        }
    }

    var allowsEmail: Bool {
        contains("transition:email")
            || permissions.contains { $0.resource == "account" && $0.covers("attr", "email") }
    }

    private static func matches(_ mediaType: String, pattern: String) -> Bool {
        if pattern == "*/*" { return true }
        if pattern.hasSuffix("/*") { return mediaType.hasPrefix(pattern.dropLast(1)) }
        return mediaType == pattern
    }
}
