/// The ASCII character classes of identifier grammars. `Character.isLetter` and the like accept Unicode and would
/// let look-alikes in.
extension UInt8 {
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    package var isASCIILetter: Bool { (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self) }
    package var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }
}

/// Whether a text is a DNS label: 1 to 63 letters, digits and inner hyphens.
func isDomainLabel(_ label: some StringProtocol) -> Bool {
    let bytes = label.utf8
    guard (1...63).contains(bytes.count), label.first != "-", label.last != "-" else { return false }
    return bytes.allSatisfy { $0.isASCIIAlphanumeric || $0 == 0x2d }
}
