package import ATProtoIdentity

/// What the public lexicons say about a method: its kind, its parameters in the URL, and its media types.
package struct PublicMethod {
    package struct Parameter {
        /// The raw value is the letter in the list.
        package enum Kind: UInt8 {
            case string = 0x73
            case integer = 0x69
            case boolean = 0x62

            /// Whether a text of the URL is a value of this kind.
            package func accepts(_ text: String) -> Bool {
                switch self {
                case .string: true
                case .integer: Int64(text) != nil
                case .boolean: text == "true" || text == "false"
                }
            }
        }

        package let name: String
        package let kind: Kind
        package let isArray: Bool
        package let isRequired: Bool

        /// Reads `limit:i` or `actors:[s]*`: brackets for an array, a star for a required parameter.
        fileprivate init?(_ word: Substring.UTF8View) {
            guard let colon = word.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let type = word[colon...].dropFirst()
            isArray = type.first == UInt8(ascii: "[")
            guard let kind = type.dropFirst(isArray ? 1 : 0).first.flatMap(Kind.init(rawValue:)) else {
                return nil
            }
            self.kind = kind
            isRequired = type.last == UInt8(ascii: "*")
            name = String(Substring(word[..<colon]))
        }
    }

    package let nsid: NSID
    package let kind: XRPCMethod
    package let parameters: [Parameter]
    /// The media type of the body; nil if the method takes none.
    package let input: String?
    /// The media type of the response; nil if it has no body.
    package let output: String?
    /// The members of the response that hold the items of a page; none if the method has no pages.
    package let lists: [String]

    /// Reads the line of a method in ``PublicMethods/list(of:)``.
    ///
    /// `?getFeed feed:s* limit:i cursor:s >json @feed`: a question mark for a query, an exclamation mark for a
    /// procedure, then the parameters, the media types, and the list of items.
    init(line: Substring.UTF8View, named nsid: NSID) {
        self.nsid = nsid
        kind = Self.kind(line: line)
        let words = line.split(separator: UInt8(ascii: " ")).dropFirst()
        parameters = words.compactMap { Parameter($0) }
        func marked(_ mark: Unicode.Scalar) -> [String] {
            words.filter { $0.first == UInt8(ascii: mark) }.map { String(Substring($0.dropFirst())) }
        }
        func mediaType(_ mark: Unicode.Scalar) -> String? {
            marked(mark).first.map { $0 == "json" ? "application/json" : $0 }
        }
        input = mediaType("<")
        output = mediaType(">")
        lists = marked("@")
    }

    /// The kind of the method of a line.
    static func kind(line: Substring.UTF8View) -> XRPCMethod {
        line.first == UInt8(ascii: "?") ? .query : .procedure
    }
}
