import Foundation

/// Makes the journal's line for one request. It holds no token, code, password or cookie.
enum JournalLine {
    static func make(_ exchange: Exchange, status: Int?, error: String?, time: Date, fault: String?)
        -> JSONValue
    {
        let notes = exchange.notes
        var line: [JSONMember] = []
        func add(_ name: String, _ value: JSONValue) { line.append(JSONMember(name: name, value: value)) }
        add("time", .string(time.timestamp))
        add("role", .string(exchange.role.rawValue))
        add("method", .string(exchange.method))
        add("path", .string(exchange.path))
        add("query", JSONValue(exchange.rawQuery))
        add("status", status.map { JSONValue($0) } ?? .null)
        add("error", JSONValue(error))
        add("auth", JSONValue(notes.auth?.rawValue))
        add("proof", notes.proof ?? .null)
        add("jkt", JSONValue(notes.jkt))
        add("ath_ok", notes.athMatches.map { .bool($0) } ?? .null)
        add("assertion", notes.assertion ?? .null)
        add("account", JSONValue(notes.account))
        add("client_id", JSONValue(notes.clientID))
        add("grant", JSONValue(notes.grant))
        add("consumed", .bool(notes.consumed))
        add("session_ended", .bool(notes.sessionEnded))
        add("request_content_type", JSONValue(exchange.header("content-type")))
        add("user_agent", JSONValue(exchange.header("user-agent")))
        add("fault", JSONValue(fault))
        return .object(line)
    }

    /// The error code of an answer, from its JSON body or its redirect.
    static func error(in answer: Answer) -> String? {
        if let location = answer.headers["location"],
            let parameters = location.split(whereSeparator: { "?#".contains($0) }).dropFirst().first
        {
            return FormBody(urlencoded: parameters)["error"]
        }
        guard answer.status >= 400, let bytes = answer.bytes, bytes.count < 65_536 else { return nil }
        return (try? JSONValue(parsing: bytes))?["error"]?.string
    }
}
