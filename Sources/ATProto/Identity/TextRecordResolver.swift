package import Networking

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
        /// No answer came, or the server failed or refused to give one (`SERVFAIL`, `REFUSED`).
        case noAnswer
        /// The answer could not be read, or is not to what was asked.
        case malformed
        /// The server is asked over https, and that failed.
        case transport(TransportError)
        /// The server is asked over https, and its answer is none of DNS.
        case status(Int)
        /// The server is asked over https, and answered with something else than a DNS message.
        case mediaType
    }

    /// What went wrong.
    package let code: Code
    /// What was asked, where it was a URL.
    package let url: String?

    /// An error of the server at `url`, or of the system's resolver.
    package init(_ code: Code, url: String? = nil) {
        self.code = code
        self.url = url
    }
}
