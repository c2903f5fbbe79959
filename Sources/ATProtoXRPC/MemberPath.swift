/// The place of a value in a body, as the name of an item writes it: `text`, `record[langs][]`, `record[images][0][alt]`.
///
/// A backslash before a bracket, a backslash, or a digit in brackets takes that character literally.
struct MemberPath: Hashable {
    enum Step: Hashable {
        case member(String)
        case element(Int)
        /// A new element at the end of a list.
        case next
    }

    /// At least one step. The first is a member.
    let steps: [Step]

    /// The greatest depth and the greatest index. No record needs more.
    private static let (deepest, lastElement) = (100, 9999)

    init(parsing name: String) throws(InvalidXRPCInput) {
        guard name.utf8.contains(where: { $0 == 0x5b || $0 == 0x5d || $0 == 0x5c }) else {
            steps = [.member(name)]
            return
        }
        var rest = name.unicodeScalars[...]
        let head = Self.word(&rest, inBrackets: false).text
        var steps = [Step.member(head)]
        while let open = rest.popFirst() {
            let word = Self.word(&rest, inBrackets: true)
            guard open == "[", rest.popFirst() == "]", let step = Self.step(word) else {
                throw .invalidName(name)
            }
            steps.append(step)
        }
        guard !head.isEmpty, steps.count <= Self.deepest else { throw .invalidName(name) }
        self.steps = steps
    }

    /// The name of a top-level member; nil for a place inside of one.
    var name: String? {
        guard steps.count == 1, case .member(let name)? = steps.first else { return nil }
        return name
    }

    /// The characters up to the next bracket, and whether one of them is taken literally.
    private static func word(
        _ rest: inout Substring.UnicodeScalarView, inBrackets: Bool
    ) -> (text: String, isLiteral: Bool) {
        var (text, isLiteral) = ("", false)
        while let scalar = rest.first, scalar != "[", scalar != "]" {
            rest.removeFirst()
            let isEscape =
                scalar == "\\"
                && rest.first.map { "[]\\".unicodeScalars.contains($0) || inBrackets && isDigit($0) } == true
            if isEscape { isLiteral = true }
            text.unicodeScalars.append(isEscape ? rest.removeFirst() : scalar)
        }
        return (text, isLiteral)
    }

    private static func step(_ word: (text: String, isLiteral: Bool)) -> Step? {
        if word.isLiteral { return .member(word.text) }
        if word.text.isEmpty { return .next }
        guard word.text.unicodeScalars.allSatisfy(isDigit) else { return .member(word.text) }
        return Int(word.text).flatMap { $0 <= lastElement ? .element($0) : nil }
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
