internal import ATProtoIdentity
internal import ATProtoXRPC

extension PublicMethod {
    /// What `bskyauth help NSID` shows.
    ///
    /// - Parameter source: who says so, after a blank.
    func help(from source: String) -> String {
        var sections = ["\(nsid) is a \(kind == .query ? "query" : "procedure")\(source)."]
        if !parameters.isEmpty {
            var table = Table()
            for parameter in parameters {
                table.append(
                    [parameter.name, parameter.typeName] + (parameter.isRequired ? ["required"] : []))
            }
            sections.append("PARAMETERS:\n" + table.lines.map { "  \($0)" }.joined(separator: "\n"))
        }
        if let input { sections.append("BODY: \(Self.words(body: input))") }
        sections.append("RESPONSE: \(response)")
        sections.append("EXAMPLE:\n  \(example)")
        return sections.joined(separator: "\n\n")
    }

    private static func words(body type: String) -> String {
        switch type {
        case "*/*": "any media type"
        case "application/json": "application/json, from items or with --input"
        default: type
        }
    }

    private var response: String {
        guard let output else { return "none" }
        let type = output == "*/*" ? "any media type" : output
        guard !lists.isEmpty else { return type }
        return "\(type), in pages of \(lists.map { "\"\($0)\"" }.joined(separator: " and ")) (--paginate"
            + (lists.count == 1 ? ", --items)" : ")")
    }

    /// The items of the writes to a repository, which are worth an example of their own.
    private static let writes = [
        "com.atproto.repo.createRecord": "collection=app.bsky.feed.post 'record[text]=hello'",
        "com.atproto.repo.putRecord": "collection=com.example.note rkey=first 'record[text]=hello'",
        "com.atproto.repo.deleteRecord": "at://alice.example.com/app.bsky.feed.post/3l6oveex3ii2l",
        "com.atproto.repo.applyWrites":
            "'writes[0][$type]=com.atproto.repo.applyWrites#create' 'writes[0][collection]=app.bsky.feed.post'"
            + " 'writes[0][value][text]=hello'",
    ]

    /// A command line with all required parameters.
    var example: String {
        var words = ["bskyauth call \(nsid)"]
        if nsid.authority.hasPrefix("chat.bsky.") { words.append("--chat") }
        if nsid.authority.hasPrefix("tools.ozone.") {
            words.append("--proxy did:web:ozone.example.com#atproto_labeler")
        }
        let shown = parameters.filter { $0.isRequired || $0.name == "limit" }
        words += shown.map { "\($0.name)\(kind == .query ? "=" : "==")\($0.sampleValue)".shellQuoted }
        switch input {
        case nil: break
        case "application/json": words.append(Self.writes[nsid.description] ?? "--input body.json")
        case "video/mp4": words.append("--input video.mp4")
        case "application/vnd.ipld.car": words.append("--input repo.car")
        case "*/*": words.append("--input photo.jpg")
        default: words.append("--input part.bin")
        }
        return words.joined(separator: " ")
    }
}

extension PublicMethod.Parameter {
    /// The type in words: `string`, `integers`.
    fileprivate var typeName: String {
        isArray ? "\(kind)s, repeatable" : "\(kind)"
    }

    /// A value that shows what the parameter takes.
    fileprivate var sampleValue: String {
        switch kind {
        case .integer: return "5"
        case .boolean: return "true"
        case .string: break
        }
        let did = "did:plc:z72i7hdynmk6r22z27h6tvur"
        return switch name {
        case "actor", "actors", "handle", "identifier", "repo": "bsky.app"
        case "did", "dids", "members", "subject", "subjects": did
        case "uri", "uris", "anchor": "at://\(did)/app.bsky.feed.post/3l6oveex3ii2l"
        case "feed", "feeds": "at://\(did)/app.bsky.feed.generator/whats-hot"
        case "collection": "app.bsky.actor.profile"
        case "rkey": "self"
        case "nsid": "app.bsky.feed.post"
        case "q": "cats"
        case "aud": "did:web:api.bsky.app"
        default: name.uppercased()
        }
    }
}
