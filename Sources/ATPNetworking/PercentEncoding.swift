/// Percent-encoding of URL parts (RFC 3986 §2.1) and of forms (WHATWG URL,
/// `application/x-www-form-urlencoded`).
package enum PercentEncoding {
    /// Encodes all characters but unreserved ones. The result is safe in any part of a URL.
    package static func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else {
                encoded.append(contentsOf: [0x25, hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]])
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Decodes `%XX`. Nil if an escape is broken or the result is not UTF-8.
    ///
    /// - Parameter plusIsSpace: whether `+` means a space, as in forms and query strings.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        decode(text.utf8, plusIsSpace: plusIsSpace)
    }

    static func decode(_ encoded: some Sequence<UInt8>, plusIsSpace: Bool) -> String? {
        var decoded: [UInt8] = []
        var bytes = encoded.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case 0x25:
                guard let high = bytes.next().flatMap(hexValue), let low = bytes.next().flatMap(hexValue)
                else { return nil }
                decoded.append(high << 4 | low)
            case 0x2b where plusIsSpace: decoded.append(0x20)
            default: decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: true
        default: false
        }
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
