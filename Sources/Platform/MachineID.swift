/// What tells this machine from others (machine-id(5)). A disk that is copied whole takes it along.
///
/// It is not secret here, but it is nobody's business elsewhere: only a keyed hash of it may be kept.
package struct MachineID: Sendable, Hashable {
    /// 16 bytes.
    package let bytes: [UInt8]

    /// Reads 32 digits of base 16; nil for anything else, as an image that was never started has.
    package init?(_ text: some Sequence<UInt8>) {
        let digits = text.prefix { $0 != UInt8(ascii: "\n") }.map {
            Character(Unicode.Scalar($0)).hexDigitValue
        }
        guard digits.count == 32 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 32, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        self.bytes = bytes
    }

    /// The one of this machine; nil where it has none, as most containers.
    package static func current() -> MachineID? {
        do { return MachineID(try InputFile.read("/etc/machine-id", limit: 64)) } catch { return nil }
    }
}
