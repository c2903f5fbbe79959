internal import ATPJSON
internal import ATProtoIdentity
internal import ATProtoXRPC

/// Failures of `--get`. They say what is there, and they never suggest to repeat a procedure.
extension ErrorPresenter {
    /// The path of `--get` leads to nothing.
    ///
    /// - Parameter result: the first result; nil if a list has no items.
    static func noMatch(_ path: JSONPath, from origin: PartPrinter.Origin, in result: JSONValue?) -> Failure {
        let place = path.description.escapedForTerminal
        let (nothing, anything) = ("nothing at \(place)", "anything at \(place)")
        let end = result.flatMap(path.end)
        return switch origin {
        case .result: noMatch("the result has \(nothing); \(words(end, "it"))", seeAll: "result")
        case .response(let request) where request.method == .procedure:
            Failure(
                .failure, "get_no_match",
                "\(request.nsid) was carried out, but its response has \(nothing); \(words(end, "it"))",
                hint: again(request.nsid, result))
        case .response: noMatch("the response has \(nothing); \(words(end, "it"))", seeAll: "response")
        case .each(.page): noMatch("no page has \(anything); \(words(end, "a page"))", seeAll: "page")
        case .each(.item) where result == nil:
            noMatch("the list has no items, so there is \(nothing)", seeAll: "response")
        case .each(.item):
            noMatch(
                "no item has \(anything); \(words(end, "with --items the path begins at an item, which"))",
                seeAll: "item")
        }
    }

    private static func noMatch(_ message: String, seeAll whole: String) -> Failure {
        Failure(.failure, "get_no_match", message, hint: "to see the whole \(whole), leave out --get")
    }

    /// The response of a call with `--get` is not JSON.
    static func notJSON(_ request: XRPCRequest) -> Failure {
        guard request.method == .procedure else {
            return Failure(
                .failure, "get_not_json", "the response is not JSON, so --get finds nothing in it",
                hint: "to see the response, leave out --get")
        }
        return Failure(
            .failure, "get_not_json",
            "\(request.nsid) was carried out, but its response is not JSON, so --get finds nothing in it",
            hint: again(request.nsid, nil))
    }

    /// The response of a method that answers with JSON is a web page. It was printed, but not into a file.
    static func webPage(_ request: XRPCRequest) -> Failure {
        Failure(
            .serverError, "not_json",
            "the server answered \(request.nsid) with a web page and not with JSON, although it said that all is well (HTTP 200)",
            hint: "bskyauth doctor")
    }

    /// The path of `--get` leads through a name that an object has twice, so another program may read the other value.
    static func repeated(_ name: String, from origin: PartPrinter.Origin) -> Failure {
        let problem = "has \"\(name.escapedForTerminal)\" twice, so it is unclear which one --get means"
        guard case .response(let request) = origin, request.method == .procedure else {
            return Failure(
                .failure, "get_unclear", "the response \(problem)",
                hint: "to see the whole response, leave out --get")
        }
        return Failure(
            .failure, "get_unclear", "\(request.nsid) was carried out, but its response \(problem)",
            hint: again(request.nsid, nil))
    }

    /// The response of a procedure could not be written.
    static func notWritten(_ request: XRPCRequest, _ failure: Failure) -> Failure {
        Failure(
            failure.status, failure.code,
            "\(request.nsid) was carried out, but its response is lost: \(failure.message)",
            hint: again(request.nsid, nil))
    }

    /// That a procedure must not be repeated, with its response. A response of other methods than those of repositories
    /// may hold a secret, such as an app password, so it is not shown.
    private static func again(_ nsid: NSID, _ response: JSONValue?) -> String {
        let warning = "don't run the command again: the server would carry it out again"
        guard let text = response?.text, nsid.authority == "com.atproto.repo", text.utf8.count <= longest
        else { return warning }
        return "\(warning); the response: \(text.escapingControls)"
    }

    /// The longest response that is shown in a message, in bytes.
    private static let longest = 64 << 10

    /// What is there where the path ends.
    ///
    /// - Parameter start: the name of the place where the path begins.
    private static func words(_ end: JSONPath.End?, _ start: String) -> String {
        let place = end.map(\.path).flatMap { $0.isEmpty ? nil : $0.escapedForTerminal } ?? start
        return switch end?.value {
        case .object(let object)? where !object.members.isEmpty: "\(place) has: \(names(object))"
        case .array(let elements)? where !elements.isEmpty:
            "\(place) is a list of \(elements.count), so the next step is [] or a number such as [0]"
        case .array?: "\(place) is an empty list"
        default: "\(place) has no members"
        }
    }

    private static func names(_ object: JSONObject) -> String {
        let names = object.members.prefix(mostNames).map(\.name.escapedForTerminal).joined(separator: ", ")
        let rest = object.members.count - mostNames
        return rest > 0 ? "\(names) and \(rest) more" : names
    }

    private static let mostNames = 20
}
