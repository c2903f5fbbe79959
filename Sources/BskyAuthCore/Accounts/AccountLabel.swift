/// The rules for labels: short, printable, and different from other names of accounts.
package enum AccountLabel {
    package static func isValid(_ text: String) -> Bool {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-_.+".unicodeScalars.contains(scalar)
        }
        return (1...64).contains(text.count) && text.utf8.count <= 256 && isPlain && !text.hasPrefix("-")
            && !text.hasPrefix("did:")
    }
}
