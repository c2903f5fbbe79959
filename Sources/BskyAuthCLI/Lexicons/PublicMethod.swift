internal import ATProto

/// What the public lexicons say about a method: its kind, its parameters in the URL, and its media types.
struct PublicMethod {
    struct Parameter {
        enum Kind: Character {
            case string = "s"
            case integer = "i"
            case boolean = "b"

            /// Whether a text of the URL is a value of this kind.
            func accepts(_ text: String) -> Bool {
                switch self {
                case .string: true
                case .integer: Int64(text) != nil
                case .boolean: text == "true" || text == "false"
                }
            }
        }

        let name: String
        let kind: Kind
        let isArray: Bool
        let isRequired: Bool

        /// Reads `limit:i` or `actors:[s]*`: brackets for an array, a star for a required parameter.
        fileprivate init?(_ word: Substring) {
            let parts = word.split(separator: ":")
            guard parts.count == 2, let letter = parts[1].first(where: { $0 != "[" }),
                let kind = Kind(rawValue: letter)
            else { return nil }
            name = String(parts[0])
            self.kind = kind
            isArray = parts[1].hasPrefix("[")
            isRequired = parts[1].hasSuffix("*")
        }
    }

    let nsid: NSID
    let kind: XRPCMethod
    let parameters: [Parameter]
    /// The media type of the body; nil if the method takes none.
    let input: String?
    /// The media type of the response; nil if it has no body.
    let output: String?
    /// The members of the response that hold the items of a page; none if the method has no pages.
    let lists: [String]

    /// Reads a line of ``PublicMethods/list(of:)``; nil if it is about another method.
    ///
    /// `?getFeed feed:s* limit:i cursor:s >json @feed`: a question mark for a query, an exclamation mark for a
    /// procedure, then the parameters, the media types, and the list of items.
    init?(line: Substring.UTF8View, named nsid: NSID) {
        guard line.dropFirst().starts(with: nsid.name.utf8),
            [nil, UInt8(ascii: " ")].contains(line.dropFirst(1 + nsid.name.utf8.count).first)
        else { return nil }
        self.nsid = nsid
        kind = line.first == UInt8(ascii: "?") ? .query : .procedure
        let words = Substring(line).split(separator: " ").dropFirst()
        parameters = words.compactMap { Parameter($0) }
        func marked(_ mark: Character) -> [String] {
            words.filter { $0.first == mark }.map { String($0.dropFirst()) }
        }
        func mediaType(_ mark: Character) -> String? {
            marked(mark).first.map { $0 == "json" ? "application/json" : $0 }
        }
        input = mediaType("<")
        output = mediaType(">")
        lists = marked("@")
    }
}
