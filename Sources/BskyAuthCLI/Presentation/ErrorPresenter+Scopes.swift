internal import ATProtoIdentity
internal import ATProtoOAuth
internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore
internal import OAuthDPoP

/// Failures about the scope of a login.
extension ErrorPresenter {
    /// A session that could do nothing.
    static func nothingGranted(of scope: Scope, areRevoked: Bool) -> Failure {
        let asked = scope.values.filter { $0 != Scope.atproto }
        let reasons = asked.map(ScopeOption.reason(ofLosing:))
        let shown = zip(asked, reasons).prefix(2).map { "\(ScopeText.short($0)) (\($1))" }
        let rest = asked.count > shown.count ? " and \(asked.count - shown.count) more" : ""
        let end =
            areRevoked
            ? "the tokens were revoked, and nothing was saved"
            : "nothing was saved, but the server did not confirm that it revoked the tokens"
        let hint =
            if ScopeOption.corrected(scope) != scope {
                "bskyauth login HANDLE"
            } else if reasons.contains(ScopeOption.unticked) {
                "try once more, and leave the permissions ticked at the sign-in page:  bskyauth login HANDLE"
            } else {
                "bskyauth help login"
            }
        return Failure(
            .scopeMissing, "nothing_granted",
            "the server granted nothing of what was asked for: \(shown.joined(separator: ", "))\(rest); \(end)",
            hint: hint)
    }

    /// The permissions that the session of a refused call lacks; none if they are not known.
    ///
    /// - Parameter claim: what the server names. It may be no scope, or one that allows more than this call.
    static func neededScopes(_ refusal: CallRefusal, _ claim: String) -> [PermissionScope] {
        let calls =
            refusal.needed ?? [.rpc(methods: [.nsid(refusal.nsid)], audience: .any)]
        let wanted: [PermissionScope]
        switch claimedAudience(claim, of: calls) {
        case nil: wanted = refusal.needed ?? []
        // The server's own default does not count then.
        case .service? where refusal.namesService && refusal.needed != nil: wanted = calls
        case let audience?: wanted = calls.map { $0.at(audience) }
        }
        guard let granted = refusal.granted else { return wanted }
        let held = Permissions(granted.values)
        return wanted.flatMap { held.missing(of: $0) }
    }

    /// The audience that a server compares, if it names one for one of these calls: a service, or any for a DID alone, which no
    /// permission can name.
    private static func claimedAudience(
        _ claim: String, of calls: [PermissionScope]
    ) -> PermissionScope.Audience? {
        let methods = calls.flatMap { (call) -> [PermissionScope.Name] in
            if case .rpc(let methods, _) = call { Array(methods) } else { [] }
        }
        do throws(InvalidPermissionScope) {
            guard
                case .rpc(let claimed, audience: .service(let service)) = try PermissionScope(
                    validating: claim),
                claimed.count == 1, claimed.isSubset(of: methods)
            else { return nil }
            return .service(service)
        } catch {
            guard case .audience(let text) = error, text != "*",
                methods.contains(where: { claim.hasPrefix("rpc:\($0)?") })
            else { return nil }
            return .any
        }
    }

    /// That a session lacks a scope. What the server says about it stands in quotes.
    static func missingScope(
        of name: String, _ needed: [PermissionScope], _ claim: String, _ error: XRPCError
    ) -> String {
        let texts = needed.map(\.description)
        let what =
            texts.isEmpty ? "a scope" : "the scope\(texts.count == 1 ? "" : "s") \(ScopeText.quoted(texts))"
        let said = texts == [claim] ? "" : "; the server says \"\(ScopeText.short(claim))\""
        return "the session of \(name) lacks \(what) (HTTP \(error.status))\(said)"
    }

    /// The next step for a session that lacks permissions: the same login, which asks for them too.
    static func login(_ account: Account, _ terms: LoginTerms?, adding needed: [PermissionScope]) -> String {
        guard let terms else { return "bskyauth vault verify" }
        guard !needed.isEmpty else { return "bskyauth accounts show \(AccountText.selector(account))" }
        guard case .oauth(let held?, _) = terms else { return AccountText.loginCommand(account, terms) }
        if needed.allSatisfy(Permissions(held.values).cover) {
            return "the login asked for it, so leave it ticked at the sign-in page:  "
                + AccountText.loginCommand(account, terms)
        }
        let extended = RequestedScope.extended(held.values, by: needed)
        let command = AccountText.loginCommand(
            account, terms.asking(for: Scope(extended.joined(separator: " "))))
        return needed.allSatisfy(Permissions(requested: held.values).cover)
            ? "the server may have an older copy of the set, so ask for the scope by itself:  \(command)"
            : command
    }
}

extension PermissionScope {
    /// The same calls at another service.
    fileprivate func at(_ audience: Audience) -> PermissionScope {
        if case .rpc(let methods, _) = self { .rpc(methods: methods, audience: audience) } else { self }
    }
}
