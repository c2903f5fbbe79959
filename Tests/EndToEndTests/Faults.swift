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
    static func slowRefusal(of nsid: String) -> String { list(slowRefusal(of: nsid, after: 0)) }

    /// The same for the call after the first so many, as faults for ``list(_:)``.
    static func slowRefusal(of nsid: String, after skip: Int) -> [String] {
        [one(nsid, skip: skip, times: 1, refusal), one(nsid, skip: skip, times: 1, lateness("8s"))]
    }

    /// The account's server does not take the token.
    static let refusal = respond(
        401, headers: #"{"www-authenticate":"DPoP error=\"invalid_token\""}"#,
        #"{"error":"invalid_token","message":"Invalid token"}"#)

    static func respond(_ status: Int, headers: String = "{}", _ body: String) -> String {
        #"{"respond":{"status":\#(status),"headers":\#(headers),"body":\#(body)}}"#
    }

    /// The request takes effect, and its answer comes later.
    static func lateness(_ time: String) -> String { #"{"delay":"\#(time)","when":"after"}"# }

    /// One fault of a method, as one of ``list(_:)``.
    static func one(_ nsid: String, skip: Int = 0, times: Int? = nil, _ action: String) -> String {
        one(matching: #"{"path":"/xrpc/\#(nsid)"}"#, skip: skip, times: times, action)
    }

    /// One fault of refreshes, as one of ``list(_:)``.
    static func oneOfRefreshes(skip: Int = 0, times: Int? = nil, _ action: String) -> String {
        one(matching: #"{"path":"/oauth/token","grant":"refresh_token"}"#, skip: skip, times: times, action)
    }

    static func one(matching match: String, skip: Int = 0, times: Int? = nil, _ action: String) -> String {
        let times = times.map { #","times":\#($0)"# } ?? ""
        return #"{"match":\#(match),"skip":\#(skip)\#(times),"action":\#(action)}"#
    }

    /// Several faults at once.
    static func list(_ faults: [String]) -> String { "[\(faults.joined(separator: ","))]" }
}
