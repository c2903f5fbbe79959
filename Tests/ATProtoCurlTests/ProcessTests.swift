import ATPNetworking
import ATProtoCurl
import BskyAuthCovers
import BskyAuthTestServer
import Foundation
import HTTPTypes
import Testing

/// What needs a process of its own: its environment, file descriptors and memory.
@Suite("CurlTransport in a process", .timeLimit(.minutes(10))) struct ProcessTests {
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

    @Test("uploads far more than it holds in memory", .covers("F12"))
    func largeUpload() async {
        await #expect(processExitsWith: .success) {
            try await TestServer.run { server in
                let size = 256 << 20
                let source = ZeroSource(size: size, announced: Int64(size))
                let before = try peakMemory()
                let echo = try await server.echo(
                    TransportRequest(method: .post, url: server.url("/echo"), body: .stream(source)))
                #expect(echo.length == size && source.seen.bytes == size)
                #expect(source.seen.largestRead <= 128 * 1024)
                #expect(try peakMemory() - before < 128 << 20)
            }
        }
    }
}

/// The most memory this process has had so far, in bytes.
private func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) * 1024
}

/// The open descriptors that are connected to a port, which leaves out Foundation's own sockets.
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
