internal import FoundationEssentials

extension Date {
    /// A date as it is written down, in seconds since 1970; nil outside of the years 1970 to 9999. No clock told
    /// another one, and a file may come from anybody: one far enough away can't be written as a number again.
    init?(recorded seconds: Int64) {
        guard (0...253_402_300_799).contains(seconds) else { return nil }
        self.init(timeIntervalSince1970: Double(seconds))
    }
}
