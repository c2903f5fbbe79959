internal import ATProtoIdentity
internal import ATProtoOAuth
internal import ATProtoXRPC
internal import OAuthDPoP

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
        // A login without any scope would ask for all of the document.
        let next = remaining.isEmpty ? "" : ", or:  bskyauth login HANDLE"
        return Failure(
            .usage, "scope_not_declared",
            "servers refuse \(ScopeText.list(values)), because the document of this client, as it is in the vault, does not have it",
            hint:
                "make a client whose document has it (bskyauth help client), or add --no-check if the published document has it"
                + next)
    }

    private var remaining: [String] { scope.values.filter { !values.contains($0) && $0 != Scope.atproto } }

    var nextScopes: [String]? { remaining }
}

/// A scope that is not asked for, because servers would grant nothing for a part of it.
struct ScopeRefusal: LoginRefusal {
    /// At least one.
    let faults: [ScopeFault]
    /// The whole scope of the login.
    let scope: Scope

    var failure: Failure {
        let problems = faults.prefix(3).map {
            "the scope \"\(ScopeText.short($0.value))\" is not valid: \($0.problem)"
        }
        let rest = faults.count > problems.count ? "; and \(faults.count - problems.count) more" : ""
        return Failure(
            .usage, "usage", problems.joined(separator: "; ") + rest,
            hint: nextScopes == nil
                ? "correct it (bskyauth help login), or add --no-check to ask for it anyway"
                : "bskyauth login HANDLE")
    }

    /// The scopes of the next login; nil if one of them would be refused as well.
    var nextScopes: [String]? {
        guard faults.allSatisfy({ $0.corrected != nil }) else { return nil }
        return ScopeOption.corrected(scope).values.filter { $0 != Scope.atproto }
    }
}

/// A value of a scope for which servers would grant nothing.
struct ScopeFault {
    let fault: RequestedScope.Fault
    let value: String

    /// The value as servers take it, if it can be made from this one.
    var corrected: String? {
        guard let text = RequestedScope.corrected(value, fault)?.description,
            (try? RequestedScope(validating: text)) != nil
        else { return nil }
        return text
    }

    var problem: String {
        let resource = String(value.prefix { $0 != ":" && $0 != "?" })
        switch fault {
        case .character: return "it has a character that no scope can have"
        case .permission(.resource): return "servers know no such kind of scope"
        case .permission(.audience("*")) where resource != "include":
            return "aud=* needs named methods"
        case .permission(.audience): return "its aud has to name a service: \(form)"
        case .permission(let error): return "it \(ErrorPresenter.words(error))"
        case .noSuchSet(let set):
            let near = PermissionText.nearest(to: set.description).map { "; did you mean \($0)?" } ?? ""
            return "\(set.authority) has no such permission set\(near)"
        case .noAudience: return "every permission of this set needs an aud that names a service: \(form)"
        }
    }

    private var form: String { corrected.map(ScopeText.short) ?? "aud=DID%23SERVICE" }
}
