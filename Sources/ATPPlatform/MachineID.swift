internal import Glibc

/// The identifier of this machine (machine-id(5)). A copy of the whole disk has the same one.
///
/// It is confidential outside this machine, so only a keyed hash of it may be stored.
package struct MachineID: Sendable, Hashable {
    /// 16 bytes.
    package let bytes: [UInt8]

    /// Parses 32 hexadecimal digits; nil for anything else, such as the text of an image that was never started.
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

    /// The identifier of this machine; nil if it has none, as in most containers.
    package static func current() -> MachineID? {
        do { return MachineID(try InputFile.read("/etc/machine-id", limit: 64)) } catch { return nil }
    }
}

/// What people call this machine.
package enum ThisMachine {
    /// The host name (gethostname(2)); nil if it has none.
    package static var name: String? {
        var characters = [CChar](repeating: 0, count: 256)
        // The last byte stays zero.
        guard unsafe gethostname(&characters, characters.count - 1) == 0 else { return nil }
        let bytes = characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let name = String(decoding: bytes, as: UTF8.self)
        return name.isEmpty ? nil : name
    }
}
