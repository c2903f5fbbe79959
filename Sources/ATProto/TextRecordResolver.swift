/// Looks up DNS TXT records.
///
/// An implementation has a time limit of its own, some seconds.
package protocol TextRecordResolver: Sendable {
    /// The TXT records of a name, the character-strings of each put together (RFC 1035 §3.3.14); empty
    /// where the name or the record does not exist.
    func textRecords(for name: String) async throws(TextRecordError) -> [String]
}

/// Why it is not known whether a name has TXT records.
package struct TextRecordError: Error, Sendable, Hashable {
    /// What went wrong.
    package enum Code: Sendable, Hashable {
        case timedOut
        /// The server failed or refused to answer (`SERVFAIL`, `REFUSED`).
        case serverFailure
        /// The answer could not be read.
        case malformed
        /// There is no resolver to ask.
        case unavailable
        case cancelled
    }

    /// What went wrong.
    package let code: Code
    /// The resolver's own words, for `--verbose`.
    package let detail: String?

    /// An error with what the resolver said.
    package init(_ code: Code, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }
}
