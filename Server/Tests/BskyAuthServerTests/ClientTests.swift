import Testing

@testable import BskyAuthServer

@Suite struct ClientTests {
    private let proxies = ["127.0.0.1", "::1", "10.0.0.2"].compactMap { ClientAddress($0) }

    private func client(_ peer: String, _ forwarded: String...) -> String {
        Client(ClientAddress(peer), forwarded, trusting: proxies).description
    }

    @Test(
        "an address may have what proxies write around it",
        arguments: [
            ("203.0.113.9", "203.0.113.9"), ("203.0.113.9:51008", "203.0.113.9"),
            ("\t203.0.113.9 ", "203.0.113.9"),
            ("\"203.0.113.9:51008\"", "203.0.113.9"), ("for=203.0.113.9", "203.0.113.9"),
            ("2001:db8::7", "2001:db8::7"), ("[2001:db8::7]", "2001:db8::7"),
            ("[2001:db8::7]:443", "2001:db8::7"), ("\"[2001:db8::7]:443\"", "2001:db8::7"),
            ("For=\"[2001:db8::7]:443\"", "2001:db8::7"),
        ])
    func forms(_ element: String, _ address: String) {
        #expect(ClientAddress(forwarded: element)?.description == address)
        // The client wrote the element on the left.
        #expect(client("127.0.0.1", "198.51.100.1, \(element)") == address)
        #expect(client("127.0.0.1", "198.51.100.1", element) == address)
    }

    @Test(
        "an element that can't be read makes the client unknown, and those on the left don't count",
        arguments: [
            "unknown", "", " ", "_hidden", "for=unknown", "for=", "\"", "\"203.0.113.9", "203.0.113.9\"",
            "203.0.113",
            "203.0.113.9:", "203.0.113.9:http", "203.0.113.9:1234567", "[2001:db8::7", "2001:db8::7]",
            "[203.0.113.9]",
            "[2001:db8::7]443", "fe80::1%eth0", "for=203.0.113.9;proto=https", "203.0.113.9 198.51.100.1",
            "2001:db8::7\r", "\u{0}203.0.113.9", "localhost",
        ])
    func unknown(_ element: String) {
        #expect(ClientAddress(forwarded: element) == nil)
        #expect(client("127.0.0.1", "198.51.100.1, \(element)") == "unknown")
        #expect(client("127.0.0.1", "198.51.100.1, \(element), 10.0.0.2") == "unknown")
        #expect(client("127.0.0.1", "198.51.100.1", element) == "unknown")
        // What a client writes itself does no harm.
        #expect(client("127.0.0.1", "\(element), 203.0.113.9") == "203.0.113.9")
        #expect(client("203.0.113.9", element) == "203.0.113.9")
    }

    @Test("elements count from the right, while the address before is that of a trusted proxy") func chain() {
        #expect(client("127.0.0.1") == "127.0.0.1")
        #expect(client("127.0.0.1", "198.51.100.1, 203.0.113.9, 10.0.0.2") == "203.0.113.9")
        #expect(client("127.0.0.1", "198.51.100.1, 203.0.113.9, [::1]:80, 10.0.0.2:80") == "203.0.113.9")
        #expect(client("127.0.0.1", "10.0.0.2, ::1") == "10.0.0.2")
        #expect(client("203.0.113.9", "198.51.100.1") == "203.0.113.9")
        #expect(Client(nil, ["203.0.113.9"], trusting: proxies) == .unknown)
    }

    @Test("unknown clients are counted together, and no known one with them") func network() throws {
        let known = Client(ClientAddress("203.0.113.9"), [], trusting: [])
        #expect(Client.unknown.network == [] && !known.network.isEmpty)
    }
}
