/// A section of the manuals, which `bskyauth help NAME` shows.
struct HelpTopic: Sendable {
    let name: String
    /// A short summary.
    let abstract: String
    /// As it is shown on a terminal of 80 columns.
    let text: String

    /// Whether the summary has a word.
    func isAbout(_ word: String) -> Bool {
        abstract.lowercased().split { !$0.isLetter }.contains(word.lowercased()[...])
    }

    /// A line for each topic, in the columns of the list of commands.
    static var list: String {
        all.map { topic in
            "  \(topic.name)\(String(repeating: " ", count: 24 - topic.name.count))\(topic.abstract)"
        }
        .joined(separator: "\n")
    }
}
