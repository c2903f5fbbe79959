/// How a word is set off where colours are wanted: by what it means, in the colours every terminal has.
enum TextStyle: Int {
    case bad = 31
    case good = 32
    case warning = 33

    /// The text between the sequences that begin and end the style (ECMA-48, SGR).
    func apply(to text: String) -> String { "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" }
}
