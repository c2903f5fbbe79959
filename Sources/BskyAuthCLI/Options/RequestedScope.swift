internal import ATProtoOAuth
internal import ATProtoXRPC
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

    /// Refuses what no server can grant, before a person signs in: characters that a scope can't have (RFC 6749 §3.3), and permissions
    /// that are not well formed. A server may know other scopes.
    static func check(_ texts: [String]) throws {
        for value in Scope(texts.joined(separator: " ")).values {
            guard value.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }) else {
                throw refusal(value, "it has a character that no scope can have")
            }
            do { _ = try PermissionScope(validating: value) } catch {
                if let problem = problem(error, of: value) { throw refusal(value, problem) }
            }
        }
    }

    /// Nil for a scope that is no permission, such as `transition:generic`.
    private static func problem(_ error: InvalidPermissionScope, of value: String) -> String? {
        let resource = value.prefix { $0 != ":" && $0 != "?" }
        guard ["repo", "rpc", "blob", "account", "identity", "include"].contains(resource) else { return nil }
        return switch error {
        case .resource: nil
        case .syntax: "it can't be read"
        case .missing(let name): "it lacks \(name)"
        case .value(let name): "its \(name) is not valid"
        case .unknownParameter(let name): "\(resource) has no \(name)"
        case .repeated(let name): "it has more than one \(name)"
        }
    }

    private static func refusal(_ value: String, _ problem: String) -> Failure {
        Failure(
            .usage, "usage",
            "the scope \"\(value.escapedForTerminal)\" is not valid: \(problem.escapedForTerminal)",
            hint: "bskyauth help login")
    }
}
