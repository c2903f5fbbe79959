extension Fault {
    /// A fault that can't be read; the text says where.
    struct Malformed: Error {
        let reason: String
    }

    init(_ json: JSONValue) throws(Malformed) {
        try Self.allow(["match", "skip", "times", "action"], in: json, "fault")
        let match = json["match"] ?? [:]
        try Self.allow(["role", "method", "path", "path_prefix", "grant"], in: match, "match")
        self.match = Match(
            role: match["role"]?.string,
            method: match["method"]?.string,
            path: match["path"]?.string,
            pathPrefix: match["path_prefix"]?.string,
            grant: match["grant"]?.string
        )
        skip = json["skip"]?.integer ?? 0
        times = json["times"]?.integer
        guard let action = json["action"] else { throw Malformed(reason: "a fault needs an action") }
        self.action = try Action(action)
    }

    /// Refuses unknown members, since a misspelt one would have no effect.
    static func allow(_ names: Set<String>, in json: JSONValue, _ place: String) throws(Malformed) {
        guard let members = json.members else { throw Malformed(reason: "\(place) must be an object") }
        for member in members where !names.contains(member.name) {
            throw Malformed(reason: "\(place) has no member \"\(member.name)\"")
        }
    }
}

extension Fault.Action {
    init(_ json: JSONValue) throws(Fault.Malformed) {
        try Fault.allow(
            [
                "respond", "amend", "amend_redirect", "drop", "delay", "when", "body_bytes", "truncate",
                "promise_all", "raw_body", "drip",
            ], in: json, "action")
        if let respond = json["respond"] {
            self = .respond(try Self.answer(respond))
        } else if let amend = json["amend"] {
            self = .amend(try Self.amendment(amend))
        } else if let redirect = json["amend_redirect"] {
            try Fault.allow(["set", "remove"], in: redirect, "amend_redirect")
            self = .amendRedirect(
                set: redirect["set"]?.members ?? [],
                remove: redirect["remove"]?.array?.compactMap(\.string) ?? []
            )
        } else if let drop = json["drop"] {
            self = .drop(try Self.moment(drop))
        } else if let delay = json["delay"] {
            self = .delay(try Self.duration(delay), try Self.moment(json["when"] ?? "before"))
        } else if let count = json["body_bytes"]?.integer, count >= 0 {
            self = .bodyBytes(count)
        } else if let count = json["truncate"]?.integer, count >= 0 {
            self = .truncate(count, promiseAll: json["promise_all"]?.bool ?? false)
        } else if let body = json["raw_body"]?.string {
            self = .rawBody(body)
        } else if let drip = json["drip"] {
            try Fault.allow(["bytes", "every"], in: drip, "drip")
            self = .drip(bytes: drip["bytes"]?.integer ?? 1, every: try Self.duration(drip["every"] ?? "1s"))
        } else {
            throw Fault.Malformed(reason: "an action must be one of the known ones")
        }
    }

    private static func answer(_ json: JSONValue) throws(Fault.Malformed) -> Answer {
        try Fault.allow(["status", "headers", "body"], in: json, "respond")
        var headers: HeaderList = [:]
        for header in json["headers"]?.members ?? [] {
            for value in header.value.array ?? [header.value] {
                headers.add(header.name, value.string ?? value.text)
            }
        }
        let body = json["body"] ?? ""
        if body.string == nil, headers["content-type"] == nil { headers["content-type"] = "application/json" }
        let status = json["status"]?.integer ?? 200
        guard (200...599).contains(status) else { throw Fault.Malformed(reason: "status must be 200 to 599") }
        return Answer(status: status, headers: headers, body: .bytes(Array((body.string ?? body.text).utf8)))
    }

    private static func amendment(_ json: JSONValue) throws(Fault.Malformed) -> Fault.Amendment {
        try Fault.allow(["set", "remove", "headers", "remove_headers", "status"], in: json, "amend")
        return Fault.Amendment(
            set: json["set"]?.members ?? [],
            remove: json["remove"]?.array?.compactMap(\.string) ?? [],
            headers: json["headers"]?.members ?? [],
            removeHeaders: json["remove_headers"]?.array?.compactMap(\.string) ?? [],
            status: json["status"]?.integer
        )
    }

    private static func moment(_ json: JSONValue) throws(Fault.Malformed) -> Fault.Moment {
        guard let moment = json.string.flatMap(Fault.Moment.init(rawValue:)) else {
            throw Fault.Malformed(reason: "the moment must be \"before\" or \"after\"")
        }
        return moment
    }

    private static func duration(_ json: JSONValue) throws(Fault.Malformed) -> Duration {
        guard let duration = json.string.flatMap(Duration.init(sandboxText:)), duration >= .zero else {
            throw Fault.Malformed(reason: "a duration looks like \"2s\"")
        }
        return duration
    }
}
