#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension Date {
    /// A date from a file, in seconds since 1970; nil outside the years 1970 to 9999. A file may come from an untrusted
    /// source, and a date too far away can't be converted back to a number.
    package init?(recorded seconds: Int64) {
        guard (0...253_402_300_799).contains(seconds) else { return nil }
        self.init(timeIntervalSince1970: Double(seconds))
    }

    /// The date as it is read back from a file.
    var asRecorded: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}

extension UUID {
    /// The UUID in lower case, as RFC 9562 §4 writes it.
    package var text: String { uuidString.lowercased() }
}
