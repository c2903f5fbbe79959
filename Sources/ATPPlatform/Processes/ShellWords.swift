/// Splits a command into words as a shell does. Only quotes and backslashes have a meaning.
package enum ShellWords {
    /// - Returns: nil if a quote is left open or there is no word.
    package static func split(_ command: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var characters = command.makeIterator()
        while let character = characters.next() {
            switch (character, quote) {
            case ("'", "'"), ("\"", "\""): quote = nil
            case ("'", nil), ("\"", nil):
                quote = character
                word = word ?? ""
            case ("\\", nil), ("\\", "\""):
                guard let next = characters.next() else { return nil }
                word =
                    (word ?? "") + (quote == nil || next == "\"" || next == "\\" ? "" : "\\") + String(next)
            case (" ", nil), ("\t", nil), ("\n", nil):
                if let finished = word { words.append(finished) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let finished = word { words.append(finished) }
        return quote == nil && !words.isEmpty ? words : nil
    }
}
