/// Why a text that was published as a DID does not count, although a person would read it as one. Only the DID alone counts
/// (atproto.com/specs/handle#handle-resolution). The flaw is for the message to the owner of the name.
package enum DIDFlaw: Sendable, Hashable {
    /// A byte order mark before the text.
    case byteOrderMark
    /// `did=` before a DID, which only the TXT record has.
    case prefix
    /// A TXT record without `did=`, or with other letters.
    case noPrefix
    case quotationMarks
    /// White space within the text, or before `did=` in a TXT record.
    case blank

    /// The flaw of a text that is no DID; nil if it was not meant as one.
    package init?(in text: String) {
        var rest = Substring(text)
        let hasMark = rest.unicodeScalars.first == Self.mark
        if hasMark { rest.unicodeScalars.removeFirst() }
        let bare = rest.filter { !$0.isWhitespace }.lowercased()
        let isQuoted = bare.first == "\"" || bare.first == "'"
        let start = bare.drop { $0 == "\"" || $0 == "'" }
        guard start.hasPrefix("did:") || start.hasPrefix("did=") else { return nil }
        if hasMark {
            self = .byteOrderMark
        } else if isQuoted {
            self = .quotationMarks
        } else if bare.hasPrefix("did=") {
            self = .prefix
        } else if rest.contains(where: \.isWhitespace) {
            self = .blank
        } else {
            return nil
        }
    }

    /// The flaw of a TXT record that should begin with `did=`; nil if it is about something else.
    init?(inRecord record: String) {
        switch DIDFlaw(in: record) {
        case .prefix: self = record.first?.isWhitespace == true ? .blank : .noPrefix
        case let flaw?: self = flaw
        case nil where record.hasPrefix("did:"): self = .noPrefix
        case nil: return nil
        }
    }

    static let mark: Unicode.Scalar = "\u{feff}"
}
