internal import ATPJSON

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A rotation that was about to spend a refresh token. The intent is written before the token is sent. It stays if it
/// is unknown whether the token was spent.
public struct RotationIntent: Sendable, Hashable {
    /// The fingerprint of the token.
    package let tokenFingerprint: String
    /// When the rotation began, to the millisecond.
    package let startedAt: Date
    /// The number of attempts with this token, including this one.
    package let attempt: Int
    /// The server's answer, if it answered without saying what became of the token.
    package let answer: Answer?
    /// The claim of a shared vault that the token is sent under; nil in other stores.
    package let claim: Claim?

    /// The claim of a machine on the refresh token of a session in a shared vault.
    package struct Claim: Sendable, Hashable {
        /// Random, and different for each claim.
        package let id: UUID
        /// The revision of the record that the claim replaces.
        package let revision: Int64
        /// Whether the token may have been sent under this claim.
        package let isSent: Bool

        package init(id: UUID, revision: Int64, isSent: Bool) {
            self.id = id
            self.revision = revision
            self.isSent = isSent
        }
    }

    /// An answer that says nothing about the token.
    public struct Answer: Sendable, Hashable {
        /// Its HTTP status.
        package let status: Int
        /// The status of the latest answer behind which the server may have used the token: a failure, a time-out or a
        /// page. It is this answer's or that of an earlier attempt; nil if there was none.
        package let unclearStatus: Int?
        /// No process sends the token again before this time, to the millisecond. Only a forced refresh may, if the
        /// answer can't hide a rotation.
        package let notBefore: Date

        /// Whether every attempt so far was refused before the server looked at the token.
        package let isUnseen: Bool

        /// Whether the server may have used the token behind this answer or an earlier one.
        package var mayHideRotation: Bool { unclearStatus != nil }

        package init(status: Int, notBefore: Date, earlierUnclearStatus: Int?, isUnseen: Bool = false) {
            self.status = status
            self.notBefore = notBefore
            self.isUnseen = isUnseen
            let isUnclear = !(400..<500).contains(status) || status == 408
            unclearStatus = isUnclear ? status : earlierUnclearStatus
        }
    }

    package init(
        tokenFingerprint: String, startedAt: Date, attempt: Int, answer: Answer? = nil, claim: Claim? = nil
    ) {
        self.tokenFingerprint = tokenFingerprint
        self.startedAt = startedAt
        self.attempt = attempt
        self.answer = answer
        self.claim = claim
    }

    /// The same attempt with an answer that says nothing about the token; nil for none.
    public func answered(_ answer: Answer?) -> RotationIntent {
        RotationIntent(
            tokenFingerprint: tokenFingerprint, startedAt: startedAt, attempt: attempt, answer: answer,
            claim: claim)
    }

    /// The same attempt under a claim; nil for none.
    package func claimed(_ claim: Claim?) -> RotationIntent {
        RotationIntent(
            tokenFingerprint: tokenFingerprint, startedAt: startedAt, attempt: attempt, answer: answer,
            claim: claim)
    }

    /// The last attempt in which the token may have been sent; nil if there was none.
    package var sent: RotationIntent? {
        guard claim?.isSent == false else { return self }
        guard attempt > 1 else { return nil }
        return RotationIntent(
            tokenFingerprint: tokenFingerprint, startedAt: startedAt, attempt: attempt - 1)
    }

    /// Whether the server may have used the token in this attempt or an earlier one.
    package var mayHideRotation: Bool { answer?.mayHideRotation != false }

    /// Whether both are the same attempt with the same token. Another process may have written another intent.
    package func isSameAttempt(as other: RotationIntent?) -> Bool {
        other?.tokenFingerprint == tokenFingerprint && other?.attempt == attempt
    }
}

extension RotationIntent {
    /// The intent as text, to note it. It is a JSON object with `token`, `at` in milliseconds since 1970, and `attempt`; with
    /// an answer also `status`, `notBefore` in milliseconds since 1970, `unclearStatus` if an earlier answer had it, and
    /// `unseen` if it is true; in a shared vault also `claim`, its UUID, `revision` and `sent`. It holds no secret.
    public var archive: String {
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
        if let claim {
            members["claim"] = .string(claim.id.text)
            members["revision"] = JSONValue(claim.revision)
            members["sent"] = .bool(claim.isSent)
        }
        return JSONValue.object(members).text
    }

    /// Reads ``archive``. Nil for another text. Unknown members are ignored.
    public init?(archive: String) {
        guard let json = try? JSONParser.parse(archive), let token = json["token"]?.string,
            let at = json["at"]?.integer, let attempt = json["attempt"]?.integer
        else { return nil }
        self.init(
            tokenFingerprint: token, startedAt: Self.date(at), attempt: Int(clamping: attempt),
            answer: Self.answer(json), claim: Self.claim(json))
    }

    private static func claim(_ json: JSONValue) -> Claim? {
        guard let id = json["claim"]?.string.flatMap(UUID.init(uuidString:)),
            let revision = json["revision"]?.integer, let isSent = json["sent"]?.bool
        else { return nil }
        return Claim(id: id, revision: revision, isSent: isSent)
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

    private static func milliseconds(_ date: Date) -> Int64 {
        Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0
    }

    private static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
