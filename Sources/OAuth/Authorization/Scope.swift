/// The permissions of a request or a token: tokens between spaces (RFC 6749 §3.3).
///
/// The order is kept, since a client id is built from it and compared byte for byte (protocol:R70); what
/// comes twice counts once, since servers refuse it (protocol:S1).
package struct Scope: Sendable, Hashable, CustomStringConvertible {
    package let values: [String]

    package init(_ text: String) {
        var seen: Set<String> = []
        values = text.split(separator: " ").map(String.init).filter { seen.insert($0).inserted }
    }

    /// Without this one nothing is granted at all (protocol:S1).
    package static let atproto = "atproto"

    package var description: String { values.joined(separator: " ") }

    package func contains(_ value: String) -> Bool { values.contains(value) }

    /// What of this scope, as requested, a granted one lacks.
    ///
    /// Compared as text. An `include:` comes back as the permissions that it stands for, so it counts as
    /// there (protocol:S6).
    package func missing(from granted: Scope) -> [String] {
        values.filter { !granted.contains($0) && !$0.hasPrefix("include:") }
    }
}
