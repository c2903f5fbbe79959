import ATPNetworking
import Foundation
import Testing

@Suite("AddressRange") struct AddressRangeTests {
    /// The bytes of a printed address, read by the system's parser.
    private func bytes(_ text: String) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: text.contains(":") ? 16 : 4)
        let family = text.contains(":") ? AF_INET6 : AF_INET
        try #require(unsafe inet_pton(family, text, &bytes) == 1, "\(text)")
        return bytes
    }

    @Test(
        "knows loopback, also inside an IPv6 address",
        arguments: ["127.0.0.1", "127.0.0.53", "127.255.255.255", "::1", "::ffff:127.0.0.1"])
    func loopback(address: String) throws {
        #expect(AddressRange(of: try bytes(address)) == .loopback)
    }

    @Test(
        "knows every IPv4 range that is not the public Internet, edge to edge",
        arguments: [
            "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
            "169.254.0.0", "169.254.169.254", "169.254.255.255", "172.16.0.0", "172.31.255.255", "192.0.0.0",
            "192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0",
            "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.1",
            "255.255.255.255",
        ])
    func specialIPv4(address: String) throws {
        #expect(AddressRange(of: try bytes(address)) == .special)
        #expect(AddressRange(of: try bytes("::ffff:\(address)")) == .special, "mapped")
        #expect(AddressRange(of: try bytes("64:ff9b::\(address)")) == .special, "NAT64")
        let sixToFour = [0x20, 0x02] + (try bytes(address)) + [UInt8](repeating: 0, count: 10)
        #expect(AddressRange(of: sixToFour) == .special, "6to4")
    }

    @Test(
        "knows the addresses next to those ranges as public",
        arguments: [
            "1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
            "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
            "192.0.1.0", "192.0.3.0", "192.88.98.1", "192.167.255.255", "192.169.0.0", "198.17.255.255",
            "198.20.0.0", "198.51.99.1", "198.51.101.1", "203.0.112.1", "203.0.114.1", "223.255.255.255",
        ])
    func globalIPv4(address: String) throws {
        #expect(AddressRange(of: try bytes(address)) == .global)
        #expect(AddressRange(of: try bytes("::ffff:\(address)")) == .global, "mapped")
        #expect(AddressRange(of: try bytes("64:ff9b::\(address)")) == .global, "NAT64")
    }

    @Test(
        "knows every IPv6 range that is not the public Internet",
        arguments: [
            "::", "::2", "::127.0.0.1", "::8.8.8.8", "::fffe:8.8.8.8", "::ffff:0:8.8.8.8",
            "64:ff9b::127.0.0.1",
            "64:ff9b:1::8.8.8.8", "64:ff9b::1:0:8.8.8.8", "100::1", "1fff::1", "2001::1",
            "2001:0:4136:e378::1",
            "2001:2::1", "2001:10::1", "2001:1ff::1", "2001:db8::1", "2001:db8:ffff::1", "2002:7f00:1::",
            "2002:a9fe:a9fe::1", "2002:c0a8:1::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "fc00::1",
            "fd00:ec2::254", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1",
        ])
    func specialIPv6(address: String) throws {
        #expect(AddressRange(of: try bytes(address)) == .special)
    }

    @Test(
        "knows public IPv6 addresses",
        arguments: [
            "2000::1", "2001:200::1", "2001:4860:4860::8888", "2001:db7::1", "2001:db9::1", "2002:808:808::1",
            "2606:4700:4700::1111", "2a00:1450::1", "3ffe::1", "3fff:1000::1",
        ])
    func globalIPv6(address: String) throws {
        #expect(AddressRange(of: try bytes(address)) == .global)
    }

    @Test("takes bytes that are no address for special", arguments: [0, 1, 3, 5, 8, 15, 17])
    func otherLengths(count: Int) {
        #expect(AddressRange(of: [UInt8](repeating: 8, count: count)) == .special)
    }
}

@Suite("NetworkPolicy") struct NetworkPolicyTests {
    private let dev = NetworkPolicy(devNetwork: Origin(scheme: .http, host: "localhost", port: 2580))
    private let metadataService: [UInt8] = [169, 254, 169, 254]
    private let publicAddress: [UInt8] = [8, 8, 8, 8]
    private let loopback: [UInt8] = [127, 0, 0, 1]

    @Test("speaks https only on the real network, whatever private networks are allowed")
    func httpsOnly() throws {
        for policy in [NetworkPolicy(), NetworkPolicy(allowsPrivateNetwork: true)] {
            #expect(policy.refusal(of: try HTTPURL(validating: "https://a.example/")) == nil)
            #expect(policy.refusal(of: try HTTPURL(validating: "http://a.example/")) == .plainHTTP)
            #expect(policy.refusal(of: try HTTPURL(validating: "http://localhost/")) == .plainHTTP)
        }
    }

    @Test("refuses a private address in a URL, and takes a public one and names", arguments: [false, true])
    func literal(allowsPrivate: Bool) throws {
        let policy = NetworkPolicy(allowsPrivateNetwork: allowsPrivate)
        for host in [
            "10.1", "0300.0250.1", "[::1]", "[64:ff9b::10.0.0.1]", "[::]", "09", "1.2.3.4.5",
        ] {
            let refusal = policy.refusal(of: try HTTPURL(validating: "https://\(host)/"))
            #expect(refusal == (allowsPrivate ? nil : .privateAddress), "\(host)")
        }
        // Link-local addresses and metadata services are never allowed, in no form.
        for host in [
            "0xA9FEa9fe", "169.254.1.1", "[fe80::1]", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]",
            "169.254.170.23", "100.100.100.200", "1684301000", "[::ffff:100.100.100.200]", "168.63.129.16",
            "192.0.0.192",
            "[2002:6464:64c8::1]", "[fd00:ec2::254]", "[fd00:ec2::23]", "[fd20:ce::254]",
            "[fd00:c1::a9fe:a9fe]",
            "[fd00:42::42]",
        ] {
            let refusal = policy.refusal(of: try HTTPURL(validating: "https://\(host)/"))
            #expect(refusal == .privateAddress, "\(host)")
        }
        for host in [
            "8.8.8.8", "8.8", "134744072", "0x8.010.0x8.010", "[2606:4700:4700::1111]", "[::ffff:8.8.8.8]",
            "[2606:4700:0:0:0:0:0:1]", "a.example", "127.example", "0x7f.example", "x1",
        ] {
            #expect(policy.refusal(of: try HTTPURL(validating: "https://\(host)/")) == nil, "\(host)")
        }
    }

    @Test("speaks to nothing but this machine on the dev network")
    func devNetwork() throws {
        for text in ["http://localhost:2583/", "https://127.0.0.1/", "http://[::1]:1/"] {
            #expect(dev.refusal(of: try HTTPURL(validating: text)) == nil)
        }
        for text in ["https://bsky.social/", "http://10.0.0.1/", "https://localhost.example/"] {
            #expect(dev.refusal(of: try HTTPURL(validating: text)) == .outsideDevNetwork)
        }
    }

    @Test("allows public addresses, private ones on request, and loopback alone on the dev network")
    func addresses() {
        let real = NetworkPolicy()
        #expect(real.allows(address: publicAddress))
        #expect(!real.allows(address: loopback) && !real.allows(address: metadataService))
        let home = NetworkPolicy(allowsPrivateNetwork: true)
        #expect(home.allows(address: publicAddress) && home.allows(address: [192, 168, 1, 2]))
        #expect(home.allows(address: loopback) && !home.allows(address: metadataService))
        #expect(dev.allows(address: loopback))
        #expect(!dev.allows(address: publicAddress) && !dev.allows(address: metadataService))
        let both = NetworkPolicy(devNetwork: dev.devNetwork, allowsPrivateNetwork: true)
        #expect(!both.allows(address: [192, 168, 1, 2]))
    }
}
