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
