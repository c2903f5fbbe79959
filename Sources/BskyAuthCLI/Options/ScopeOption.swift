internal import ATProtoOAuth
internal import ATProtoXRPC
internal import BskyAuthCore
internal import OAuthDPoP

/// The scope that `--scope` and `BSKYAUTH_SCOPE` ask for.
enum ScopeOption {
    /// Without any the default; `atproto` is always part of it.
    static func make(_ options: [String], default fallback: String?) -> Scope {
        let words = options.isEmpty ? [fallback ?? LoginRequest.defaultScope] : options
        let scope = Scope(words.joined(separator: " "))
        return scope.contains(Scope.atproto) ? scope : Scope("\(Scope.atproto) \(scope)")
    }

    /// Reads the scope that a login is going to ask for.
    ///
    /// - Returns: what servers will not grant of it, and what is not known here, in words.
    /// - Throws: ``ScopeRefusal`` for a value for which servers would grant nothing.
    ///
    /// - Parameter lexicons: tell what sets permit.
    static func check(_ scope: Scope, _ lexicons: KnownLexicons = .compiled) throws -> [String] {
        try read(scope, lexicons).flatMap { value, meaning in
            if case .unknown = meaning {
                ["\(ScopeText.short(value)): its permissions are not known here"]
            } else {
                losses(meaning, value)
            }
        }
    }

    /// The same without what is not known here.
    static func losses(of scope: Scope) throws -> [String] {
        try read(scope, .compiled).flatMap { losses($1, $0) }
    }

    private static func read(
        _ scope: Scope, _ lexicons: KnownLexicons
    ) throws -> [(value: String, meaning: RequestedScope)] {
        var (read, faults): ([(String, RequestedScope)], [ScopeFault]) = ([], [])
        for value in scope.values {
            do throws(RequestedScope.Fault) {
                read.append((value, try RequestedScope(validating: value, lexicons)))
            } catch {
                faults.append(ScopeFault(fault: error, value: value))
            }
        }
        guard faults.isEmpty else { throw ScopeRefusal(faults: faults, scope: scope) }
        return read
    }

    /// Refuses what the document of a client does not have word for word, because servers do (protocol:S5).
    static func check(_ scope: Scope, declared: Scope) throws {
        let others = scope.values.filter { !declared.contains($0) }
        guard others.isEmpty else { throw UndeclaredScope(values: others, scope: scope) }
    }

    /// The same scope with each value in the form that servers take, as far as that is known.
    static func corrected(_ scope: Scope) -> Scope {
        Scope(
            scope.values.map { value in
                do throws(RequestedScope.Fault) {
                    _ = try RequestedScope(validating: value)
                    return value
                } catch {
                    return RequestedScope.corrected(value, error)?.description ?? value
                }
            }.joined(separator: " "))
    }

    /// Why a server may have granted nothing for a value.
    static func reason(ofLosing value: String) -> String {
        let meaning: RequestedScope
        do throws(RequestedScope.Fault) { meaning = try RequestedScope(validating: value) } catch {
            return ScopeFault(fault: error, value: value).problem
        }
        return switch meaning {
        case .unknown: "its permissions are not known here, and the server may not know them either"
        case .permissions(let permissions, let losses) where permissions.isEmpty:
            losses.first.map { words($0.reason) } ?? "the set has no permissions"
        case .word, .permissions: unticked
        }
    }

    /// The reason for a value that servers know.
    static let unticked = "not ticked at the sign-in page, or unknown to the server"

    private static func losses(_ meaning: RequestedScope, _ value: String) -> [String] {
        guard case .permissions(_, let losses) = meaning else { return [] }
        return losses.map { loss in
            "\(ScopeText.short(value)): permission \(loss.index + 1) of the set grants nothing, because "
                + words(loss.reason)
        }
    }

    private static func words(_ reason: SetExpansion.Loss.Reason) -> String {
        switch reason {
        case .resource(let name): "no set can permit \"\(ScopeText.short(name))\""
        case .member(let name): "servers don't know its member \"\(ScopeText.short(name))\""
        case .value(let name): "its \(ScopeText.short(name)) is missing or not valid"
        case .foreign(let name): "\(ScopeText.short(name)) is outside of the set's own namespace"
        case .noAudience: "it needs an aud, and the scope has none"
        }
    }
}
