internal import ATPJSON

/// How a word is set off where colours are wanted: by what it means, in the colours every terminal has.
enum TextStyle: String {
    case bad = "31"
    case good = "32"
    case warning = "33"
    /// The name of a member of an object.
    case name = "34;1"
    /// A number, true, false or null.
    case literal = "36"

    /// The text between the sequences that begin and end the style (ECMA-48, SGR).
    func apply(to text: String) -> String { "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" }
}

extension JSONToken {
    var style: TextStyle {
        switch self {
        case .name: .name
        case .string: .good
        case .literal: .literal
        }
    }
}
