internal import BskyAuthCore

extension AccountLabel {
    static func validated(_ text: String) throws(Failure) -> String {
        guard isValid(text) else {
            throw .usage(
                "\"\(text.shown)\" is no label: up to 64 letters, digits, and - _ . + (not first a -)")
        }
        return text
    }
}
