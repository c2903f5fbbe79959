internal import ATPCryptography
internal import ATPJSON
internal import ATProtoSessions
internal import FoundationEssentials

/// The content of the file `intent`, in JSON: `token`, `at` in milliseconds since 1970, and `attempt`; with an answer also
/// `status`, `notBefore` in milliseconds since 1970, `unclearStatus` if an earlier answer had it, and `unseen` if it is true.
/// Unknown members are ignored.
extension RotationIntent {
    /// Whether both are the same attempt with the same token. Another process may have written another intent.
    func isSameAttempt(as other: RotationIntent?) -> Bool {
        other?.tokenFingerprint == tokenFingerprint && other?.attempt == attempt
    }

    var content: SecretBytes {
        var members: JSONObject = [
            "token": .string(tokenFingerprint), "at": JSONValue(Self.milliseconds(startedAt)),
            "attempt": JSONValue(attempt),
        ]
        if let answer {
            members["status"] = JSONValue(answer.status)
            members["notBefore"] = JSONValue(Self.milliseconds(answer.notBefore))
            members["unseen"] = answer.isUnseen ? true : nil
            members["unclearStatus"] = answer.unclearStatus.map { JSONValue($0) }
        }
        return SecretBytes(Array(JSONValue.object(members).text.utf8))
    }

    private static func milliseconds(_ date: Date) -> Int64 {
        Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0
    }

    private static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    init?(_ content: SecretBytes) throws(JSONError) {
        let json = try JSONParser.parse(content.bytes)
        guard let token = json["token"]?.string, let at = json["at"]?.integer,
            let attempt = json["attempt"]?.integer
        else { return nil }
        self.init(
            tokenFingerprint: token, startedAt: Self.date(at), attempt: Int(attempt),
            answer: Self.answer(json))
    }

    private static func answer(_ json: JSONValue) -> Answer? {
        guard let status = json["status"]?.integer, let notBefore = json["notBefore"]?.integer else {
            return nil
        }
        return Answer(
            status: Int(clamping: status), notBefore: date(notBefore),
            earlierUnclearStatus: json["unclearStatus"]?.integer.map { Int(clamping: $0) },
            isUnseen: json["unseen"]?.bool == true)
    }
}
