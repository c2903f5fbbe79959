import ATPPlatform
import BskyAuthTestSupport
import Foundation
import Testing

/// A name server that answers every question with the same reply, as often as it is asked.
private final class NameServer: Sendable {
    private let descriptor: Int32
    let address: String

    /// - Parameter reply: nil to stay silent.
    init(_ reply: DNSReply?) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try unsafe withUnsafeMutablePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                let isBound = unsafe bind(descriptor, pointer, length) == 0
                let isNamed = unsafe getsockname(descriptor, pointer, &length) == 0
                try #require(isBound && isNamed)
            }
        }
        self.descriptor = descriptor
        self.address = "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        guard let reply else { return }
        Thread.detachNewThread { Self.serve(reply, on: descriptor) }
    }

    private static func serve(_ reply: DNSReply, on descriptor: Int32) {
        while true {
            var question = [UInt8](repeating: 0, count: 1024)
            var client = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            unsafe withUnsafeMutablePointer(to: &client) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    guard unsafe recvfrom(descriptor, &question, question.count, 0, pointer, &length) > 2
                    else { return }
                    var reply = reply
                    reply.id = UInt16(question[0]) << 8 | UInt16(question[1])
                    let bytes = reply.bytes
                    unsafe sendto(descriptor, bytes, bytes.count, 0, pointer, length)
                }
            }
        }
    }

    func ask() async throws -> DNSResolver.Answer {
        try await #require(DNSResolver(server: address)).textRecords(of: "_atproto.alice.example")
    }
}

@Suite("DNS resolver", .timeLimit(.minutes(10))) struct DNSResolverTests {
    @Test("asks the named server and returns its message as it came")
    func found() async throws {
        // The second reply has a broken record. Reading records is not the resolver's job.
        for data in [DNSReply.text("did=", "did:plc:abc"), DNSReply.record([200, 0x41])] {
            let reply = DNSReply(answers: [data])
            guard case .message(let message) = try await NameServer(reply).ask() else {
                Issue.record("no message")
                return
            }
            // The message ID is the query's own.
            #expect(message.dropFirst(2) == reply.bytes.dropFirst(2))
        }
    }

    @Test("a name that does not exist, or has no texts, has none", arguments: [3, 0] as [UInt8])
    func absent(_ code: UInt8) async throws {
        let server = try NameServer(DNSReply(code: code))
        #expect(try await server.ask() == .noRecords)
    }

    @Test("a server that fails or refuses is no answer", arguments: [1, 2, 5] as [UInt8])
    func failing(_ code: UInt8) async throws {
        let server = try NameServer(DNSReply(code: code))
        #expect(try await server.ask() == .noAnswer)
    }

    @Test("a silent server is not waited for without end")
    func silent() async throws {
        let server = try NameServer(nil)
        #expect(try await server.ask() == .noAnswer)
    }

    @Test("takes an IPv4 address with an optional port", arguments: ["127.0.0.1", "9.9.9.9:5353"])
    func address(_ server: String) {
        #expect(DNSResolver(server: server) != nil)
    }

    @Test(
        "refuses anything else as a server",
        arguments: [
            "", "localhost", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:5:3", "127.0.0",
            "127.0.0.256", "::1", "+1.2.3.4", "1.2.3.4:+53", "1.2.3.4\u{0}",
        ])
    func notAddress(_ server: String) {
        #expect(DNSResolver(server: server) == nil)
    }
}
