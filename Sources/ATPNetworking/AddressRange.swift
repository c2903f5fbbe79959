/// The kind of network that an address belongs to (IANA special-purpose address registries, RFC 6890).
package enum AddressRange: Sendable, Hashable {
    case loopback
    /// All other addresses outside the public Internet: private, link-local, shared, multicast, reserved.
    case special
    case global

    /// Classifies the 4 or 16 bytes of an address in network order. Any other length is ``special``.
    package init(of address: [UInt8]) {
        switch address.count {
        case 4: self = Self.range(ofIPv4: address)
        case 16: self = Self.range(ofIPv6: address)
        default: self = .special
        }
    }

    private static func range(ofIPv4 a: [UInt8]) -> AddressRange {
        switch (a[0], a[1], a[2]) {
        case (127, _, _): .loopback
        case (0, _, _), (10, _, _): .special
        case (100, 64...127, _): .special
        case (169, 254, _): .special
        case (172, 16...31, _): .special
        case (192, 0, 0), (192, 0, 2), (192, 88, 99): .special
        case (192, 168, _): .special
        case (198, 18...19, _), (198, 51, 100), (203, 0, 113): .special
        case (224..., _, _): .special
        default: .global
        }
    }

    private static func range(ofIPv6 a: [UInt8]) -> AddressRange {
        if a[0..<15].allSatisfy({ $0 == 0 }) { return a[15] == 1 ? .loopback : .special }
        // These contain an IPv4 address: mapped, NAT64 or 6to4.
        if a[0..<10].allSatisfy({ $0 == 0 }), a[10] == 0xff, a[11] == 0xff {
            return range(ofIPv4: Array(a[12..<16]))
        }
        if a[0] == 0, a[1] == 0x64, a[2] == 0xff, a[3] == 0x9b {
            let inner = range(ofIPv4: Array(a[12..<16]))
            return a[4..<12].allSatisfy({ $0 == 0 }) && inner == .global ? .global : .special
        }
        if a[0] == 0x20, a[1] == 0x02 {
            return range(ofIPv4: Array(a[2..<6])) == .global ? .global : .special
        }
        // Documentation, Teredo, benchmarking and other assignments of 2001::/23, and 2001:db8::/32.
        if a[0] == 0x20, a[1] == 0x01, a[2] < 0x02 || (a[2] == 0x0d && a[3] == 0xb8) { return .special }
        if a[0] == 0x3f, a[1] == 0xff, a[2] < 0x10 { return .special }
        return a[0] & 0xe0 == 0x20 ? .global : .special
    }

    /// Whether a service at an address may give secrets to any program of this machine: the metadata services of data
    /// centres, and all link-local addresses (RFC 3927, RFC 4291 §2.5.6). An IPv6 address may contain an IPv4 one.
    static func isMetadataService(_ a: [UInt8]) -> Bool {
        if a.count == 4 { return a[0] == 169 && a[1] == 254 || metadataServices.contains(a) }
        guard a.count == 16 else { return false }
        let isMapped = a[0..<10].allSatisfy { $0 == 0 } && a[10] == 0xff && a[11] == 0xff
        let isTranslated = a[0] == 0 && a[1] == 0x64 && a[2] == 0xff && a[3] == 0x9b
        if isMapped || isTranslated { return isMetadataService(Array(a[12..<16])) }
        if a[0] == 0x20, a[1] == 0x02 { return isMetadataService(Array(a[2..<6])) }
        let isLinkLocal = a[0] == 0xfe && a[1] & 0xc0 == 0x80
        // Amazon: fd00:ec2::254 and others.
        let isAmazon = a.starts(with: [0xfd, 0, 0x0e, 0xc2])
        return isLinkLocal || isAmazon || metadataServices.contains(a)
    }

    /// The metadata services that have no link-local address.
    private static let metadataServices: Set<[UInt8]> = [
        // Alibaba, Azure's WireServer, and Oracle.
        [100, 100, 100, 200], [168, 63, 129, 16], [192, 0, 0, 192],
        // Google: fd20:ce::254. Oracle: fd00:c1::a9fe:a9fe. Scaleway: fd00:42::42.
        [0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54],
        [0xfd, 0, 0, 0xc1, 0, 0, 0, 0, 0, 0, 0, 0, 0xa9, 0xfe, 0xa9, 0xfe],
        [0xfd, 0, 0, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x42],
    ]
}
