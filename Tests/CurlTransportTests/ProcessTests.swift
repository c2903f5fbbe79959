import CurlTransport
import Foundation
import HTTPTypes
import Networking
import Testing

/// What needs a process to itself: its environment and its file descriptors.
@Suite("CurlTransport in a process", .timeLimit(.minutes(1))) struct ProcessTests {
    @Test("ignores proxies on the dev network")
    func proxies() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "https_proxy", "ALL_PROXY", "HTTPS_PROXY"] {
                unsafe setenv(name, "http://127.0.0.1:1", 1)
            }
            try await TestServer.run { server in
                let response = try await server.fetch("/echo")
                #expect(response.status == 200)
                #expect(try await server.stats().served == ["1 1 GET /echo"])
            }
        }
    }

    @Test("leaves no network connection to a child")
    func closedOnExec() async {
        await #expect(processExitsWith: .success) {
            try await TestServer.run { server in
                let held = try await server.transport.send(
                    TransportRequest(method: .get, url: server.url("/slow")))
                _ = try await server.fetch("/echo")
                let connections = try descriptors(connectedTo: server.url("/").origin.port)
                #expect(connections.count == 2, "one at work, one kept")
                for descriptor in connections {
                    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "descriptor \(descriptor)")
                }
                held.body.cancel()
            }
        }
    }
}

/// The open descriptors that are connected to a port; Foundation's own sockets are not our affair.
private func descriptors(connectedTo port: Int) throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }.filter {
        descriptor in
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getpeername(descriptor, $0, &size)
            }
        }
        return status == 0 && Int32(address.sin_family) == AF_INET
            && Int(UInt16(bigEndian: address.sin_port)) == port
    }
}
