/// The ASCII character classes of identifier grammars. `Character.isLetter` and the like accept Unicode and would
/// let look-alikes in.
extension UInt8 {
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    package var isASCIILetter: Bool { (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self) }
    package var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }
}

/// Whether the bytes of a text are a DNS label: 1 to 63 letters, digits and inner hyphens.
func isDomainLabel(_ label: some Collection<UInt8>) -> Bool {
    guard (1...63).contains(label.count), label.first != 0x2d else { return false }
    var last: UInt8 = 0
    for byte in label {
        guard byte.isASCIIAlphanumeric || byte == 0x2d else { return false }
        last = byte
    }
    return last != 0x2d
}
