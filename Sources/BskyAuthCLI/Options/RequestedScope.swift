internal import ATProtoOAuth
internal import BskyAuthCore
internal import OAuthDPoP

/// The scope that `--scope` and `BSKYAUTH_SCOPE` ask for.
enum RequestedScope {
    /// Without any the default; `atproto` is always part of it.
    static func make(_ options: [String], default fallback: String?) -> Scope {
        let words = options.isEmpty ? [fallback ?? LoginRequest.defaultScope] : options
        let scope = Scope(words.joined(separator: " "))
        return scope.contains(Scope.atproto) ? scope : Scope("\(Scope.atproto) \(scope)")
    }
}
