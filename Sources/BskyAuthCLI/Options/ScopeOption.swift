internal import ATProtoIdentity
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
    static func check(_ scope: Scope) throws -> [String] {
        var remarks: [String] = []
        for value in scope.values {
            do throws(RequestedScope.Fault) {
                remarks += Self.remarks(try RequestedScope(validating: value), value)
            } catch {
                throw ScopeRefusal(fault: error, value: value, scope: scope)
            }
        }
        return remarks
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
            return ScopeRefusal(fault: error, value: value, scope: Scope(value)).problem
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

    private static func remarks(_ meaning: RequestedScope, _ value: String) -> [String] {
        let value = ScopeText.short(value)
        switch meaning {
        case .word: return []
        case .unknown: return ["\(value): its permissions are not known here"]
        case .permissions(_, let losses):
            return losses.map { loss in
                "\(value): permission \(loss.index + 1) of the set grants nothing, because \(words(loss.reason))"
            }
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

/// A login that would be refused, or get less than it should.
protocol LoginRefusal: Error {
    var failure: Failure { get }
    /// The scopes of the next login; nil if they are those of this one.
    var nextScopes: [String]? { get }
}

/// A scope that is not asked for, because the client may not.
struct UndeclaredScope: LoginRefusal {
    let values: [String]
    let scope: Scope

    var failure: Failure {
        Failure(
            .usage, "scope_not_declared",
            "servers refuse \(ScopeText.list(values)), because the document of this client does not have it",
            hint: "make a client whose document has it (bskyauth help client), or:  bskyauth login HANDLE")
    }

    var nextScopes: [String]? { scope.values.filter { !values.contains($0) && $0 != Scope.atproto } }
}

/// A scope that is not asked for, because servers would grant nothing for it.
struct ScopeRefusal: LoginRefusal {
    let fault: RequestedScope.Fault
    let value: String
    /// The whole scope of the login.
    let scope: Scope

    var failure: Failure {
        Failure(
            .usage, "usage", "the scope \"\(ScopeText.short(value))\" is not valid: \(problem)",
            hint: "add --no-check to ask for it anyway, or:  "
                + (corrected == nil ? "bskyauth help login" : "bskyauth login HANDLE"))
    }

    /// The value as servers take it, if it can be made from this one.
    private var corrected: String? { RequestedScope.corrected(value, fault)?.description }

    var nextScopes: [String]? {
        corrected == nil ? nil : ScopeOption.corrected(scope).values.filter { $0 != Scope.atproto }
    }

    var problem: String {
        let resource = String(value.prefix { $0 != ":" && $0 != "?" })
        switch fault {
        case .character: return "it has a character that no scope can have"
        case .permission(.resource): return "servers know no such kind of scope"
        case .permission(.syntax): return "it can't be read"
        case .permission(.missing(let name)): return "it lacks \(name)"
        case .permission(.value(let name)): return "its \(name) is not valid"
        case .permission(.audience("*")) where resource != "include":
            return "aud=* needs named methods"
        case .permission(.audience): return "its aud has to name a service: \(form)"
        case .permission(.unknownParameter(let name)):
            return "\(resource) has no \(ScopeText.short(name))"
        case .permission(.repeated(let name)): return "it has more than one \(name)"
        case .noSuchSet(let set):
            return "\(set.authority) has no such permission set"
        case .noAudience: return "every permission of this set needs an aud that names a service: \(form)"
        }
    }

    private var form: String { corrected.map(ScopeText.short) ?? "aud=DID%23SERVICE" }
}

/// Scopes in messages. A server or a set can make them as long as it likes.
enum ScopeText {
    /// A text of a scope, without its end if that is very long.
    static func short(_ text: String) -> String {
        let most = 120
        return (text.count > most ? "\(text.prefix(most))…" : text).escapedForTerminal
    }

    /// What a server did not grant of what was asked for.
    static func missing(_ scopes: [MissingScope]) -> [String] {
        let whole = scopes.filter(\.parts.isEmpty).map(\.value)
        let lines = scopes.filter { !$0.parts.isEmpty }.map { scope in
            "the server granted less than \(short(scope.value)): it lacks \(list(scope.parts.map(\.description)))"
        }
        return (whole.isEmpty ? [] : ["the server did not grant: \(list(whole))"]) + lines
    }

    /// The first values of a list, and how many more there are.
    static func list(_ values: [String]) -> String {
        let most = 5
        let shown = values.prefix(most).map(short).joined(separator: ", ")
        return values.count > most ? "\(shown) and \(values.count - most) more" : shown
    }
}
