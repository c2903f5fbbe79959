/// A password for one app, `xxxx-xxxx-xxxx-xxxx` (`protocol:A3`).
struct AppPassword: Sendable {
    let text: String
    /// Whether `chat.bsky` may be called with it.
    let isPrivileged: Bool

    init?(_ text: String, isPrivileged: Bool = false) {
        guard Self.isWellFormed(text) else { return nil }
        self.text = text
        self.isPrivileged = isPrivileged
    }

    /// Makes a random app password.
    static func random(isPrivileged: Bool) -> AppPassword? {
        let digits = Array(RandomText.hex(bytes: 8))
        let groups = stride(from: 0, to: 16, by: 4).map { String(digits[$0..<$0 + 4]) }
        return AppPassword(groups.joined(separator: "-"), isPrivileged: isPrivileged)
    }

    static func isWellFormed(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.count == 4
            && groups.allSatisfy { group in
                group.utf8.count == 4
                    && group.utf8.allSatisfy { $0.isASCIIAlphanumeric }
                    && group == group.lowercased()
            }
    }
}
