/// A fault: the requests that it matches, how often it acts, and its action. `Sandbox/README.md` has the JSON form.
struct Fault: Sendable {
    /// The requests that a fault matches. A member that is `nil` matches all.
    struct Match: Sendable {
        var role: String?
        var method: String?
        var path: String?
        var pathPrefix: String?
        var grant: String?
    }

    /// Changes to the JSON and head of the real answer.
    struct Amendment: Sendable {
        var set: [JSONMember] = []
        var remove: [String] = []
        var headers: [JSONMember] = []
        var removeHeaders: [String] = []
        var status: Int?
    }

    /// Before the request is handled, or after it has taken effect.
    enum Moment: String, Sendable {
        case before
        case after
    }

    enum Action: Sendable {
        case respond(Answer)
        case amend(Amendment)
        case amendRedirect(set: [JSONMember], remove: [String])
        case drop(Moment)
        case delay(Duration, Moment)
        case bodyBytes(Int)
        case truncate(Int, promiseAll: Bool)
        case rawBody(String)
        case drip(bytes: Int, every: Duration)

        var name: String {
            switch self {
            case .respond: "respond"
            case .amend: "amend"
            case .amendRedirect: "amend_redirect"
            case .drop(let moment): "drop_\(moment.rawValue)"
            case .delay: "delay"
            case .bodyBytes: "body_bytes"
            case .truncate: "truncate"
            case .rawBody: "raw_body"
            case .drip: "drip"
            }
        }
    }

    let match: Match
    /// The number of matching requests that are left alone first.
    var skip: Int
    /// The number of requests that the fault acts on. `nil` means all.
    var times: Int?
    let action: Action

    func meets(_ exchange: Exchange, grant: String?) -> Bool {
        if let role = match.role, role != exchange.role.rawValue { return false }
        if let method = match.method, method != exchange.method { return false }
        if let path = match.path, path != exchange.path { return false }
        if let prefix = match.pathPrefix, !exchange.path.hasPrefix(prefix) { return false }
        if let wanted = match.grant, wanted != grant { return false }
        return true
    }
}
