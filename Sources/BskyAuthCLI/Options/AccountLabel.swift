/// What a label may be: short, printable, and not to be taken for anything else.
enum AccountLabel {
    static func isValid(_ text: String) -> Bool {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-_.+".unicodeScalars.contains(scalar)
        }
        return (1...64).contains(text.count) && isPlain && !text.hasPrefix("-") && !text.hasPrefix("did:")
    }

    static func validated(_ text: String) throws(Failure) -> String {
        guard isValid(text) else {
            throw .usage(
                "\"\(text.shown)\" is no label: up to 64 letters, digits, and - _ . + (not first a -)")
        }
        return text
    }
}
