internal import ATPPlatform

/// A list to choose from by keys: the lines to show, and the effect of each key. It does not use the terminal itself.
struct Picker {
    /// What is chosen from, one line each, harmless for a terminal.
    let choices: [String]
    let question: String

    /// The text that the shown choices contain; nil until the user begins to type it.
    private(set) var filter: String?
    /// Which of ``matches`` is marked.
    private var marked: Int
    /// The digits of a number that is being typed.
    private var digits = ""

    enum Outcome: Equatable {
        /// The index of a choice.
        case chosen(Int)
        case left
    }

    /// - Parameter first: the choice to begin at.
    init(_ choices: [String], question: String, first: Int = 0) {
        self.choices = choices
        self.question = question
        marked = choices.indices.contains(first) ? first : 0
    }

    // MARK: Keys

    /// - Returns: nil for a key that decides nothing.
    mutating func press(_ key: Key) -> Outcome? {
        if case .character(let character) = key, filter == nil, character.isASCII, character.isNumber {
            type(digit: character)
            return nil
        }
        digits = ""
        switch key {
        case .up: move(by: -1)
        case .down: move(by: 1)
        case .enter: return matches.isEmpty ? nil : .chosen(matches[marked])
        case .endOfInput: return .left
        case .escape:
            guard filter != nil else { return .left }
            narrow(to: nil)
        case .erase:
            if let filter { narrow(to: filter.isEmpty ? nil : String(filter.dropLast())) }
        case .character(let character):
            if let filter {
                narrow(to: filter + String(character).escapedForTerminal)
            } else {
                command(character)
            }
        }
        return nil
    }

    private mutating func command(_ character: Character) {
        switch character {
        case "k": move(by: -1)
        case "j": move(by: 1)
        case "/": narrow(to: "")
        default: break
        }
    }

    /// Goes to the choice of a number, as far as it is typed.
    private mutating func type(digit: Character) {
        digits.append(digit)
        if Int(digits).map({ choices.indices.contains($0 - 1) }) != true { digits = String(digit) }
        guard let number = Int(digits), choices.indices.contains(number - 1) else {
            digits = ""
            return
        }
        marked = number - 1
    }

    private mutating func move(by step: Int) {
        let count = matches.count
        guard count > 0 else { return }
        marked = (marked + step + count) % count
    }

    /// The choice that was marked stays so where it is still there.
    private mutating func narrow(to filter: String?) {
        let choice = matches.isEmpty ? nil : matches[marked]
        self.filter = filter
        marked = matches.firstIndex { $0 == choice } ?? 0
    }

    /// The indices of the choices that are shown.
    private var matches: [Int] {
        guard let filter, !filter.isEmpty else { return Array(choices.indices) }
        let text = filter.lowercased()
        return choices.indices.filter { choices[$0].lowercased().contains(text) }
    }

    // MARK: Lines

    /// What is to be seen: the question, the choices around the marked one, and what the keys do.
    func lines(_ size: TerminalSize) -> [String] {
        let matches = matches
        let room = max(1, size.rows - 3)
        let start = max(0, min(marked - room / 2, matches.count - room))
        let rows = matches.indices.dropFirst(start).prefix(room).map {
            row(matches[$0], isMarked: $0 == marked)
        }
        let none = matches.isEmpty ? ["  none"] : []
        return ([question] + rows + none + [keys]).map { $0.fitted(to: size.columns - 1) }
    }

    /// The same for a terminal that only prints.
    var plainLines: [String] { [question] + choices.indices.map { row($0, isMarked: false) } }

    private func row(_ choice: Int, isMarked: Bool) -> String {
        let number = String(choice + 1)
        let padding = String(repeating: " ", count: String(choices.count).count - number.count)
        return "\(isMarked ? ">" : " ") \(padding)\(number)  \(choices[choice])"
    }

    private var keys: String {
        filter.map { "/\($0)  (Enter chooses the marked one, Esc shows all)" }
            ?? "arrow keys, j, k or a number; / searches; Enter chooses, Esc cancels"
    }
}
