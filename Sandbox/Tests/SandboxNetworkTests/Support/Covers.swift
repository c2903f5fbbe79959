import Testing

/// The rules of docs/design that a test holds the sandbox to, by their numbers: `.covers("R46", "12.4")`.
/// `scripts/lib/conformance.py` reads them from the source and writes docs/conformance.md.
struct Covers: TestTrait, SuiteTrait {
    let rules: [String]
}

extension Trait where Self == Covers {
    static func covers(_ rules: String...) -> Self { Covers(rules: rules) }
}
