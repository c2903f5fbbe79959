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

    package var description: String { values.joined(separator: " ") }

    package func contains(_ value: String) -> Bool { values.contains(value) }
}
