internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoLexicons
internal import ATProtoXRPC

/// Why the records of a write can't be meant, and what is probably a mistake in them.
///
/// A body of a file goes out as it is.
struct RecordRefusal {
    private(set) var failure: Failure?
    private(set) var doubts: [String] = []
    private(set) var onlyKey: String?

    static let none = RecordRefusal()

    /// How many findings are named.
    private static let most = 3

    private init() {}

    init(_ request: XRPCRequest, _ lexicons: KnownLexicons) {
        // Items make JSON.
        guard case .bytes(let bytes) = request.body, let body = (try? JSONParser.parse(bytes))?.object else {
            return
        }
        let check = RecordCheck(body, of: request.nsid, lexicons)
        let edition = "in the lexicons of \(PublicMethods.edition)"
        let unknown = check.unknownCollections.map {
            "there is no collection \($0) \(edition)"
                + LexiconCheck.question($0.nearest(of: PublicRecord.names))
        }
        let limits = check.findings.filter(\.isDoubt)
        let isOfEdition = limits.allSatisfy { PublicMethods.areComplete(for: $0.lexicon) }
        doubts = unknown + Self.named(limits, then: isOfEdition ? ", \(edition)" : ", in its lexicon")
        let wrong = check.findings.filter { !$0.isDoubt }
        guard !wrong.isEmpty else { return }
        if wrong.count == 1 { onlyKey = check.onlyKey }
        failure = Failure(
            .usage, "invalid_record", Self.named(wrong).joined(separator: "; "),
            hint: Self.hint(for: wrong, in: body, of: request.nsid))
    }

    private static func named(_ findings: [RecordCheck.Finding], then end: String = "") -> [String] {
        findings.prefix(most).map {
            "\($0.place.escapedForTerminal) \($0.problem.words.escapedForTerminal)\(end)"
        } + (findings.count > most ? ["and more"] : [])
    }

    private static func hint(
        for findings: [RecordCheck.Finding], in body: JSONObject, of method: NSID
    ) -> String {
        if method.name == "putRecord", findings.contains(where: { $0.problem == .missing }),
            let repo = body["repo"]?.string, let collection = body["collection"]?.string,
            let key = body["rkey"]?.string
        {
            let record = "at://\(repo)/\(collection)/\(key)".escapedForTerminal.shellQuoted
            return "putRecord replaces the whole record; this prints the one that is there:  "
                + "bskyauth call com.atproto.repo.getRecord \(record)"
        }
        return
            (findings.contains { $0.problem.needsJSON }
            ? "an item NAME:=JSON gives another value than text; " : "")
            + "add --no-check to send it anyway, or:  bskyauth help \(findings[0].lexicon)"
    }
}
