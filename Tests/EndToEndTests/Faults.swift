/// What the sandbox is told to do wrong.
enum Faults {
    /// The first access token has no life: the next call has to refresh.
    static let tokenEndsAtOnce =
        #"[{"match":{"grant":"authorization_code"},"action":{"amend":{"set":{"/expires_in":0}}}}]"#

    /// New tokens arrive late: the server has spent the old ones long before.
    static let slowRefresh =
        #"[{"match":{"path":"/oauth/token","grant":"refresh_token"},"action":{"delay":"2s","when":"after"}}]"#

    /// Calls of a method are answered like this: the next so many, or every one.
    static func answer(
        _ nsid: String, _ status: Int, headers: String = "{}", body: String, times: Int? = nil
    ) -> String {
        let times = times.map { #","times":\#($0)"# } ?? ""
        return #"[{"match":{"path":"/xrpc/\#(nsid)"}\#(times),"action":{"respond":{"status":\#(status),"#
            + #""headers":\#(headers),"body":\#(body)}}}]"#
    }

    /// The next call of a method is told that its token is invalid, and is told so late.
    static func slowRefusal(of nsid: String) -> String {
        let match = #""match":{"path":"/xrpc/\#(nsid)"},"times":1"#
        let refusal =
            #"{"status":401,"headers":{"www-authenticate":"DPoP error=\"invalid_token\""},"#
            + #""body":{"error":"invalid_token","message":"Invalid token"}}"#
        return #"[{\#(match),"action":{"respond":\#(refusal)}},"#
            + #"{\#(match),"action":{"delay":"8s","when":"after"}}]"#
    }
}
