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
        let fault: RequestedScope.Fault?
        var claimed: PermissionScope?
        do throws(RequestedScope.Fault) {
            if case .permissions(let all, losses: _) = try RequestedScope(validating: claim) {
                claimed = all.first
            }
            fault = nil
        } catch {
            fault = error
        }
        let any = PermissionScope.rpc(methods: [.nsid(refusal.nsid)], audience: .any)
        // Such a server compares the DID alone, which no permission can name.
        if case .permission(.audience)? = fault, claim.hasPrefix("rpc:\(refusal.nsid)?") { return [any] }
        if let needed = refusal.needed { return needed }
        guard case .rpc([.nsid(refusal.nsid)], audience: .service)? = claimed else { return [] }
        return claimed.map { [$0] } ?? []
    }

    /// That a session lacks a scope. What the server says about it stands in quotes.
    static func missingScope(
        of name: String, _ needed: [PermissionScope], _ claim: String, _ error: XRPCError
    ) -> String {
        let texts = needed.map(\.description)
        let what = texts.isEmpty ? "a scope" : "the scope \"\(ScopeText.list(texts))\""
        let said = texts == [claim] ? "" : "; the server says \"\(ScopeText.short(claim))\""
        return "the session of \(name) lacks \(what) (HTTP \(error.status))\(said)"
    }

    /// The next step for a session that lacks permissions: the same login, which asks for them too.
    static func login(_ account: Account, _ terms: LoginTerms?, adding needed: [PermissionScope]) -> String {
        guard let terms else { return "bskyauth vault verify" }
        guard !needed.isEmpty else { return "bskyauth accounts show \(AccountText.selector(account))" }
        guard case .oauth(let held?, _) = terms else { return AccountText.loginCommand(account, terms) }
        if needed.allSatisfy(Permissions(requested: held.values).cover) {
            return "the login asked for it, so leave it ticked at the sign-in page:  "
                + AccountText.loginCommand(account, terms)
        }
        let extended = RequestedScope.extended(held.values, by: needed)
        return AccountText.loginCommand(account, terms.asking(for: Scope(extended.joined(separator: " "))))
    }
}
