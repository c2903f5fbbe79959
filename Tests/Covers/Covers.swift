package import Testing

/// The rules of docs/design that a test holds, by their numbers: `.covers("R46", "B9")`.
/// `scripts/lib/conformance.py` reads them from the source and writes docs/conformance.md.
package struct Covers: TestTrait, SuiteTrait {
    package let rules: [String]
}

extension Trait where Self == Covers {
    package static func covers(_ rules: String...) -> Self { Covers(rules: rules) }
}
