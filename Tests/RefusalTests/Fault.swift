/// Faults of the sandbox, as JSON text (Sandbox/README.md).
enum Fault {
    static let resource = "/.well-known/oauth-protected-resource"
    static let server = "/.well-known/oauth-authorization-server"
    static let push = "/oauth/par"
    static let token = "/oauth/token"
    static let revocation = "/oauth/revoke"

    /// An action on every request to a path.
    static func at(_ path: String, _ action: String, grant: String? = nil) -> String {
        let grant = grant.map { #","grant":"\#($0)""# } ?? ""
        return #"{"match":{"path":"\#(path)"\#(grant)},"action":\#(action)}"#
    }

    /// An action on every request to a role.
    static func of(_ role: String, _ action: String) -> String {
        #"{"match":{"role":"\#(role)"},"action":\#(action)}"#
    }

    /// On the answer to a code.
    static func code(_ action: String) -> String { at(token, action, grant: "authorization_code") }

    /// On the answer to a refresh token.
    static func refresh(_ action: String) -> String { at(token, action, grant: "refresh_token") }

    /// On the way back from the authorization page.
    static func redirect(_ action: String) -> String {
        at("/oauth/authorize", #"{"amend_redirect":\#(action)}"#)
    }

    /// The real answer with members set.
    static func set(_ members: String) -> String { #"{"amend":{"set":{\#(members)}}}"# }

    /// The real answer without a member.
    static func remove(_ pointer: String) -> String { #"{"amend":{"remove":["\#(pointer)"]}}"# }

    /// Another answer, as JSON.
    static func respond(_ status: Int, _ body: String, headers: String = "") -> String {
        #"{"respond":{"status":\#(status),"headers":{\#(headers)},"body":\#(body)}}"#
    }

    /// A page, as proxies answer.
    static func page(_ status: Int) -> String {
        respond(
            status, #""<html><script>alert(1)</script>gateway</html>""#,
            headers: #""content-type":"text/html""#)
    }
}
