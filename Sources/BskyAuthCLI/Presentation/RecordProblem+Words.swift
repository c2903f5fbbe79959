internal import ATProtoIdentity
internal import ATProtoLexicons

extension RecordProblem {
    /// What is wrong, to be read after the place: `is missing`.
    var words: String {
        switch self {
        case .missing: "is missing"
        case .untyped(let types): "is missing, and has to be one of \(Self.list(types))"
        case .null: "can't be null"
        case .mistyped(let need, let isText): "has to be \(need.words)" + (isText ? ", and is text" : "")
        case .malformed(.datetime, _):
            "is no date that exists with a time and a time zone, such as \(StringFormat.datetime.example)"
        case .malformed(let format, _): "is no \(format.rawValue), such as \(format.example)"
        case .wrongType(let types):
            types.count == 1 ? "has to be \"\(types[0])\"" : "has to be one of \(Self.list(types))"
        case .tooDeep: "is too deep"
        case .otherKey(let only): "has to be \(only)"
        case .missingKey: "is missing: it is an NSID"
        case .namedKey: "\(Self.timestamp); leave it out"
        case .other(let constant): "has to be \(constant)"
        case .unlisted(let values): "has to be one of \(Self.list(values))"
        case .tooSmall(let least): "is less than \(least)"
        case .tooGreat(let most): "is more than \(most)"
        case .tooShort(let count, let least, let unit):
            "is too short: \(count) of at least \(least) \(unit)"
        case .tooLong(let count, let most, let unit): "is too long: \(count) of at most \(most) \(unit)"
        case .tooLarge(let size, let most): "is too large: \(size) of at most \(most) bytes"
        case .mediaType(let type, let accepted):
            "is a file of \(type), and has to be of \(Self.list(accepted))"
        case .oldKey: Self.timestamp
        case .spelling(let text, let collection):
            "is spelled \"\(text)\", and the collection is \(collection)"
        case .unknown, .unlistedType: "is not known" + LexiconCheck.question(near)
        }
    }

    /// The name that was probably meant by an unknown one; nil if none is similar.
    var near: String? {
        switch self {
        case .unknown(let name, let others): name.nearest(of: others)
        // Types resemble each other by their usual parts.
        case .unlistedType(let type, let listed): type.nearest(of: listed, within: max(1, type.count / 10))
        default: nil
        }
    }

    /// Whether an item that gives text can't give the value.
    var needsJSON: Bool {
        if case .mistyped(_, isText: true) = self { true } else { false }
    }

    /// The account whose DID is missing, as far as the value tells it; nil for another problem.
    var accountWithoutDID: String? {
        guard case .malformed(.did, let text) = self else { return nil }
        return (try? Handle(validating: text.withoutAt))?.description ?? "HANDLE"
    }

    private static let timestamp = "has to be a timestamp, such as \(StringFormat.tid.example)"

    private static func list(_ texts: [String]) -> String {
        let most = 8
        return texts.prefix(most).joined(separator: ", ")
            + (texts.count > most ? " and \(texts.count - most) more" : "")
    }
}

extension RecordProblem.Need {
    fileprivate var words: String {
        switch self {
        case .boolean: "true or false"
        case .integer: "a whole number"
        case .text: "text"
        case .list: "a list"
        case .object: "an object"
        case .typedObject: "an object with $type"
        case .link: #"a link: {"$link": CID}"#
        case .bytes: #"bytes: {"$bytes": BASE64}"#
        case .blob: "a blob, as uploadBlob returns it"
        }
    }
}
