internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoXRPC
internal import HTTPTypes

/// What the public lexicons say about a call before it is sent.
///
/// Required parameters and types of a method never change, so a call that breaks them is refused. Methods and parameters
/// can be newer than this program, so an unknown one is sent.
struct LexiconCheck {
    /// Why the call can't succeed.
    let refusal: Failure?
    /// What is probably a mistake, in one sentence each.
    let doubts: [String]
    /// The doubts, as the next step after the server's refusal. Nil without doubts.
    let hint: String?
    /// The key that the record has to be written under, if the call has nothing else wrong.
    let onlyKey: String?

    /// A check that has nothing to say: for methods and services that the public lexicons don't describe.
    static let none = LexiconCheck(refusal: nil, doubts: [])

    /// - Parameters:
    ///   - lexicons: those that decide about the call and its records.
    ///   - isPublic: whether the call goes to a server that has the methods of the public lexicons, as far as the command line tells.
    ///   - checksRecords: whether the records of a write are looked at. They are the same whichever server gets them.
    init(
        _ request: XRPCRequest, _ lexicons: KnownLexicons = .compiled, isPublic: Bool = true,
        checksRecords: Bool = true
    ) {
        let known = lexicons.method(request.nsid)
        let method = known?.method
        // With -X the user knows better.
        if let method, method.kind != request.method {
            self = .none
            return
        }
        let records = checksRecords ? RecordRefusal(request, lexicons) : .none
        // A name means the same at every service, but services can have older methods of Bluesky.
        guard known?.isForeign == true || isPublic && Self.describe(request) else {
            self.init(refusal: records.failure, doubts: records.doubts, onlyKey: records.onlyKey)
            return
        }
        guard let method else {
            self.init(refusal: nil, doubts: Self.doubts(about: request.nsid), isHint: false)
            return
        }
        let refusal =
            Self.missing(in: request.parameters, of: method)
            ?? Self.illTyped(in: request.parameters, of: method)
        self.init(
            refusal: refusal ?? records.failure,
            doubts: Self.unknownNames(
                in: request.parameters, of: method,
                known?.isForeign == true ? "its lexicon" : "the lexicons of \(PublicMethods.edition)")
                + Self.emptyBody(of: request, method)
                + records.doubts, onlyKey: refusal == nil ? records.onlyKey : nil)
    }

    private init(refusal: Failure?, doubts: [String], isHint: Bool = true, onlyKey: String? = nil) {
        (self.refusal, self.doubts, self.onlyKey) = (refusal, doubts, onlyKey)
        hint = isHint && !doubts.isEmpty ? doubts.joined(separator: "; ") : nil
    }

    /// Whether the call goes to a service that has the methods of the public lexicons.
    private static func describe(_ request: XRPCRequest) -> Bool {
        guard let name = HTTPField.Name.atprotoProxy, let service = request.headerFields[name] else {
            return true
        }
        return ServiceOptions.WellKnown.allCases.contains { $0.reference.description == service }
    }

    // MARK: Doubts

    private static func doubts(about nsid: NSID) -> [String] {
        guard PublicMethods.cover(nsid) else { return [] }
        return [
            "the lexicons of \(PublicMethods.edition) have no method \(nsid)"
                + question(PublicMethods.nearest(to: nsid))
        ]
    }

    private static func unknownNames(
        in parameters: FormParameters, of method: PublicMethod, _ source: String
    ) -> [String] {
        let known = method.parameters.map(\.name)
        var doubts: [String] = []
        for parameter in parameters.all where !known.contains(parameter.name) {
            let near = parameter.name.nearest(of: known).map { "\"\($0)\"" }
            let doubt =
                "\(method.nsid.name) has no parameter \"\(parameter.name.escapedForTerminal)\" in \(source)"
                + question(near)
            if !doubts.contains(doubt) { doubts.append(doubt) }
        }
        return doubts
    }

    /// An empty `--input`. Servers may take it, but a redirection that went wrong looks the same.
    private static func emptyBody(of request: XRPCRequest, _ method: PublicMethod) -> [String] {
        guard case .stream(let source) = request.body, source.length == 0, let type = method.input else {
            return []
        }
        return ["the body is empty, but \(method.nsid.name) takes \(type == "*/*" ? "one" : type)"]
    }

    static func question(_ near: String?) -> String {
        near.map { "; did you mean \($0)?" } ?? ""
    }

    // MARK: Refusals

    private static func missing(in parameters: FormParameters, of method: PublicMethod) -> Failure? {
        let names = method.parameters.filter { $0.isRequired && !parameters.has($0.name) }.map {
            "\"\($0.name)\""
        }
        guard !names.isEmpty else { return nil }
        let first = names.dropLast().joined(separator: ", ")
        let all =
            names.count == 1 ? "parameter \(names[0])" : "parameters \(first) and \(names[names.count - 1])"
        let failure = refusal("missing_parameter", "\(method.nsid.name) needs the \(all)", method)
        return address(for: method.nsid, parameters).map { address in
            var failure = failure
            failure.hint = "bskyauth call \(method.nsid) \(address)"
            return failure
        } ?? failure
    }

    /// The address that has the repository too, if the collection alone is given; nil for other methods.
    private static func address(for nsid: NSID, _ parameters: FormParameters) -> String? {
        guard !parameters.has("repo"), let collection = parameters.values("collection").first else {
            return nil
        }
        let parts = ["HANDLE", collection.escapedForTerminal, parameters.values("rkey").first ?? "RKEY"]
        let members = RecordReference.members(of: nsid)
        return members > 1 ? "at://" + parts.prefix(members).joined(separator: "/") : nil
    }

    private static func illTyped(in parameters: FormParameters, of method: PublicMethod) -> Failure? {
        for parameter in method.parameters where parameters.has(parameter.name) {
            let values = parameters.values(parameter.name)
            let needed: String
            if !parameter.isArray, values.count > 1 {
                needed = "one value"
            } else if !values.allSatisfy(parameter.kind.accepts) {
                needed = parameter.kind == .integer ? "an integer" : "true or false"
            } else {
                continue
            }
            return refusal(
                "wrong_parameter",
                "the parameter \"\(parameter.name)\" of \(method.nsid.name) takes \(needed)", method)
        }
        return nil
    }

    private static func refusal(_ code: String, _ message: String, _ method: PublicMethod) -> Failure {
        Failure(.usage, code, message, hint: correction(by: method.nsid))
    }

    /// The next step for a call that does not fit its lexicon.
    static func correction(by lexicon: NSID) -> String {
        "correct it (bskyauth help \(lexicon)), or add --no-check to send it anyway"
    }
}

extension FormParameters {
    fileprivate func has(_ name: String) -> Bool { all.contains { $0.name == name } }
}
