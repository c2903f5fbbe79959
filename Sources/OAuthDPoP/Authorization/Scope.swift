/// The permissions of a request or a token, separated by spaces (RFC 6749 §3.3).
///
/// Keeps the order, because a client ID contains the scope and is compared byte for byte (protocol:R70). Drops
/// repeated values, because servers refuse them (protocol:S1).
package struct Scope: Sendable, Hashable, CustomStringConvertible {
    package let values: [String]

    package init(_ text: String) {
        var seen: Set<String> = []
        values = text.split(separator: " ").map(String.init).filter { seen.insert($0).inserted }
    }

    /// The value that every atproto session needs (protocol:S1).
    package static let atproto = "atproto"

    package var description: String { values.joined(separator: " ") }

    package func contains(_ value: String) -> Bool { values.contains(value) }

    /// The values of this requested scope that a granted scope lacks.
    ///
    /// Values are compared as text. Servers replace an `include:` by the permissions of its set, so it never
    /// counts as missing (protocol:S6).
    package func missing(from granted: Scope) -> [String] {
        values.filter { !granted.contains($0) && !$0.hasPrefix("include:") }
    }
}
