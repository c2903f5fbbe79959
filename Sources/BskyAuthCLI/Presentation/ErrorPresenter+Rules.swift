internal import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoXRPC

/// Rules of `--allow` that are wrong, or that let nothing through.
extension ErrorPresenter {
    static func failure(_ error: InvalidAllowRule, ofRule text: String) -> Failure {
        let rule = "--allow \"\(text.escapedForTerminal)\""
        switch error {
        case .name:
            return .usage(
                "\(rule) is not a method such as app.bsky.feed.getTimeline, nor methods such as app.bsky.feed.*"
            )
        case .kind, .permission(.resource):
            return .usage(
                "\(rule) is not a kind of permission that --allow takes: repo:, blob:, rpc: or include:")
        case .set(let fault):
            let fault = ScopeFault(fault: fault, value: text)
            return .usage("\(rule): \(fault.problem)")
        case .unknownSet(let set):
            var failure = Failure.usage("\(rule) names a permission set that is not known here")
            failure.hint =
                set.map { "allow what it permits, rule by rule:  bskyauth help \($0)" }
                ?? "bskyauth scopes sets"
            return failure
        case .emptySet:
            return .usage("\(rule) names a permission set that permits nothing")
        case .permission(let error):
            return .usage("\(rule) \(words(error)); the form is \(form(of: text))")
        }
    }

    /// Why a text is not a permission, for after the text or "it".
    static func words(_ error: InvalidPermissionScope) -> String {
        switch error {
        case .syntax, .resource: "can't be read as a permission"
        case .missing(let name): "has no \(meaning(of: name))"
        case .value(let name): "has a wrong \(meaning(of: name))"
        case .audience: "has a wrong \(meaning(of: "aud"))"
        case .unknownParameter(let name):
            "has a parameter that does not exist, \"\(ScopeText.short(name))\""
        case .repeated(let name): "has more than one \(meaning(of: name))"
        }
    }

    /// The name of a part of a permission, with the values that it takes.
    private static func meaning(of name: String) -> String {
        switch name {
        case "collection": "collection (an NSID, or * for all)"
        case "action": "action (create, update or delete)"
        case "accept": "media type (such as image/*)"
        case "lxm": "lxm (a method, or * for all at one service)"
        case "aud": "aud (a service as DID#SERVICE, or * with a named method)"
        default: name
        }
    }

    private static func form(of text: String) -> String {
        switch text.prefix(while: { $0 != ":" && $0 != "?" }) {
        case "blob": "blob:image/*"
        case "rpc": "rpc:app.bsky.feed.getTimeline?aud=did:web:api.bsky.app#bsky_appview"
        default: "repo:app.bsky.feed.post?action=create"
        }
    }

    /// The note about a rule that lets nothing through.
    static func idleRule(_ text: String, _ reason: IdleRule) -> String {
        let rule = "--allow \"\(text.escapedForTerminal)\""
        switch reason {
        case .unknownMethod(let nsid):
            let meant = PublicMethods.nearest(to: nsid).map { "; did you mean \($0)?" } ?? ""
            return "\(rule) may let nothing through: bskyauth knows no such method\(meant)"
        case .noMethod: return "\(rule) may let nothing through: bskyauth knows no method of that name"
        case .secrets(let names) where text.hasSuffix("*"):
            let list = names.joined(separator: ", ")
            return "\(rule) may let nothing through: it does not allow \(list), because they give out secrets"
        case .secrets(let names):
            return
                "\(rule) lets nothing through: a method that gives out a secret needs a rule with its whole name, "
                + "such as --allow \(names[0])"
        case .changes:
            return
                "\(rule) lets nothing through with --read-only: it names nothing that is known only to read"
        }
    }
}
