/// Patterns of media types, as blobs of lexicons and scopes have them: `*/*`, `image/*`, `image/png`.
package enum MediaPattern {
    /// Whether everything of one type or pattern is of another. Types are compared as text, as servers do.
    package static func covers(_ pattern: String, _ other: String) -> Bool {
        if pattern == "*/*" || pattern == other { return true }
        return pattern.hasSuffix("/*") && other.hasPrefix(pattern.dropLast())
    }
}
