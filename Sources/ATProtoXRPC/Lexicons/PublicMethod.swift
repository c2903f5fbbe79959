package import ATPJSON
package import ATProtoIdentity
internal import ATProtoLexicons

/// What a lexicon says about a method: its kind, its parameters in the URL, and its media types.
package struct PublicMethod {
    package struct Parameter {
        package enum Kind: String {
            case string, integer, boolean

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
    }

    package let nsid: NSID
    package let kind: XRPCMethod
    package let parameters: [Parameter]
    /// The media type of the body; nil if the method takes none.
    package let input: String?
    /// The media type of the response; nil if it has no body.
    package let output: String?
    /// The type of the response; nil if the lexicon tells none, or if it is in the compiled edition.
    private let response: JSONObject?

    /// Reads a method in the JSON of lexicons.
    ///
    /// - Returns: nil for what is no query and no procedure. A subscription is no HTTP request.
    package init?(_ json: JSONObject, named nsid: NSID) {
        switch json["type"]?.string {
        case "query": kind = .query
        case "procedure": kind = .procedure
        default: return nil
        }
        self.nsid = nsid
        let required = Set(json["parameters"]?["required"]?.strings ?? [])
        parameters = (json["parameters"]?["properties"]?.object?.members ?? []).compactMap { member in
            let isArray = member.value["type"] == "array"
            let type = isArray ? member.value["items"] : member.value
            return (type?["type"]?.string).flatMap(Parameter.Kind.init(rawValue:)).map { kind in
                Parameter(
                    name: member.name, kind: kind, isArray: isArray,
                    isRequired: required.contains(member.name))
            }
        }
        input = json["input"]?["encoding"]?.string
        output = json["output"]?["encoding"]?.string
        response = json["output"]?["schema"]?.object
    }

    /// The members of the response that hold the items of a page; none if the method has no pages.
    package var lists: [String] {
        guard parameters.contains(where: { $0.name == "cursor" }),
            let members = (response ?? CompiledLexicons.output(of: nsid))?["properties"]?.object,
            members["cursor"] != nil
        else { return [] }
        return members.members.filter { $0.value["type"] == "array" }.map(\.name)
    }
}
