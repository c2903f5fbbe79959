internal import BskyAuthCore

extension AccountLabel {
    static func validated(_ text: String) throws -> String {
        guard isValid(text) else {
            throw Failure.usage(
                "\"\(text.escapedForTerminal)\" is not a valid label: use up to 64 letters, digits and - _ . +, and don't begin with -"
            )
        }
        return text
    }
}
