internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoLexicons
internal import ATProtoXRPC
internal import HTTPTypes

/// Why the records of a write can't be meant, and what is probably a mistake in them.
struct RecordRefusal {
    private(set) var failure: Failure?
    private(set) var doubts: [String] = []
    private(set) var onlyKey: String?

    static let none = RecordRefusal()

    /// How many findings are named.
    private static let most = 3

    private init() {}

    init(_ request: XRPCRequest, _ lexicons: KnownLexicons) {
        guard let body = request.checkedBody else { return }
        let check = RecordCheck(body, of: request.nsid, lexicons)
        let edition = "in the lexicons of \(PublicMethods.edition)"
        let unknown = check.unknownCollections.map {
            (PublicMethods.areComplete(for: $0)
                ? "there is no collection \($0) \(edition)"
                : "the lexicon of \($0) is not that of a collection")
                + LexiconCheck.question($0.nearest(of: PublicRecord.names))
        }
        // A name that is similar to no other is meant as it is.
        let asked = check.findings.filter {
            $0.isDoubt && ($0.problem.kind != .unknown || $0.problem.near != nil)
        }
        let source =
            asked.allSatisfy { PublicMethods.areComplete(for: $0.lexicon) } ? edition : "in its lexicon"
        doubts = unknown + Self.named(asked) { $0.kind == .unknown ? "" : ", \(source)" }
        let wrong = check.findings.filter { !$0.isDoubt }
        guard !wrong.isEmpty else { return }
        if wrong.count == 1 { onlyKey = check.onlyKey }
        failure = Failure(
            .usage, "invalid_record", Self.named(wrong).joined(separator: "; "),
            hint: Self.hint(for: wrong, in: body, of: request))
    }

    private static func named(
        _ findings: [RecordCheck.Finding], then end: (RecordProblem) -> String = { _ in "" }
    ) -> [String] {
        findings.prefix(most).enumerated().map { index, finding in
            let rest = index == most - 1 && findings.count > most ? "; and more" : ""
            return
                "\(finding.place.escapedForTerminal) \(finding.problem.words.escapedForTerminal)\(end(finding.problem))\(rest)"
        }
    }

    private static func hint(
        for findings: [RecordCheck.Finding], in body: JSONObject, of request: XRPCRequest
    ) -> String {
        if request.nsid.name == "putRecord", findings.contains(where: { $0.problem == .missing }),
            let repo = body["repo"]?.string, let collection = body["collection"]?.string,
            let key = body["rkey"]?.string
        {
            let record = "at://\(repo)/\(collection)/\(key)".escapedForTerminal.shellQuoted
            return "putRecord replaces the whole record; this prints the one that is there:  "
                + "bskyauth call com.atproto.repo.getRecord \(record)"
        }
        if let account = findings.lazy.compactMap({ $0.problem.accountWithoutDID }).first {
            return "this prints the DID of an account:  bskyauth resolve \(account)"
        }
        let isText = request.hasItems && findings.contains { $0.problem.needsJSON }
        return (isText ? "an item NAME:=JSON gives another value than text; " : "")
            + LexiconCheck.correction(by: findings[0].lexicon)
    }
}

extension XRPCRequest {
    /// The longest body of a file that is looked at, in bytes.
    private static let longestChecked: Int64 = 1 << 20

    /// Whether items make the body, which is JSON then.
    fileprivate var hasItems: Bool { if case .bytes = body { true } else { false } }

    /// The body, if it is a JSON object of a length that is looked at. The bytes of a file are sent as they are.
    var checkedBody: JSONObject? {
        switch body {
        case .none: return nil
        case .bytes(let bytes): return (try? JSONParser.parse(bytes))?.object
        case .stream(let source):
            var fields = headerFields
            if fields[.contentType] == nil { fields[.contentType] = contentType }
            guard fields.mediaType == "application/json", let length = source.length,
                length <= Self.longestChecked
            else { return nil }
            // What can't be read or is no JSON is for the transport and the server to name.
            return (try? source.beginning(Int(length))).flatMap { try? JSONParser.parse($0) }?.object
        }
    }
}

extension RequestBodySource {
    /// The first bytes, at most `count`. A body that still arrives ends where its next bytes are missing.
    fileprivate func beginning(_ count: Int) throws -> [UInt8] {
        var reader = try open {}
        let most = 64 << 10
        var piece = ContiguousArray<UInt8>(repeating: 0, count: most)
        var bytes: [UInt8] = []
        while bytes.count < count {
            var span = piece.mutableSpan
            var room = unsafe span.mutableBytes
            guard let read = try reader.read(upTo: min(most, count - bytes.count), into: &room), read > 0
            else { break }
            bytes += piece[..<read]
        }
        return bytes
    }
}
