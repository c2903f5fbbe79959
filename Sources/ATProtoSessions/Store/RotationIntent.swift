package import FoundationEssentials

/// A rotation that was about to spend a refresh token. The intent is written before the token is sent. It stays if it
/// is unknown whether the token was spent.
package struct RotationIntent: Sendable, Hashable {
    /// The fingerprint of the token.
    package let tokenFingerprint: String
    /// When the rotation began, to the millisecond.
    package let startedAt: Date
    /// The number of attempts with this token, including this one.
    package let attempt: Int
    /// The server's answer, if it answered without saying what became of the token.
    package let answer: Answer?

    /// An answer that says nothing about the token.
    package struct Answer: Sendable, Hashable {
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

    package init(tokenFingerprint: String, startedAt: Date, attempt: Int, answer: Answer? = nil) {
        self.tokenFingerprint = tokenFingerprint
        self.startedAt = startedAt
        self.attempt = attempt
        self.answer = answer
    }
}
