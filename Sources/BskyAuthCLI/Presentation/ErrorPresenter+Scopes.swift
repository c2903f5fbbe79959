internal import ATProtoOAuth
internal import ATProtoXRPC
internal import BskyAuthCore
internal import OAuthDPoP

/// Failures about the scope of a login.
extension ErrorPresenter {
    /// A session that could do nothing.
    static func nothingGranted(of scope: Scope) -> Failure {
        let asked = scope.values.filter { $0 != Scope.atproto }
        let reasons = asked.prefix(2).map { "\(ScopeText.short($0)) (\(ScopeOption.reason(ofLosing: $0)))" }
        let rest = asked.count > reasons.count ? " and \(asked.count - reasons.count) more" : ""
        let isCorrected = ScopeOption.corrected(scope) != scope
        return Failure(
            .scopeMissing, "nothing_granted",
            "the server granted nothing of what was asked for: \(reasons.joined(separator: ", "))\(rest); "
                + "the tokens were revoked, and nothing was saved",
            hint: isCorrected
                ? "bskyauth login HANDLE"
                : "try once more, and leave the permissions ticked at the sign-in page:  bskyauth login HANDLE"
        )
    }
}
