import Foundation
import Glibc

/// A TCP connection to a port of this machine that sends exactly the given bytes.
final class RawConnection: Sendable {
    private let descriptor: Int32

    /// Connects; nil if nothing listens.
    init?(port: Int, address host: UInt32 = 0x7f00_0001) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = host.bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(descriptor, pointer, size)
            }
        }
        guard connected == 0 else {
            _ = Glibc.close(descriptor)
            return nil
        }
        // A server that never answers must not hang the test.
        var limit = timeval(tv_sec: 600, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        self.descriptor = descriptor
    }

    deinit {
        _ = Glibc.close(descriptor)
    }

    /// Sends text; false if the server has closed the connection.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Closes the sending side.
    func finishSending() {
        _ = Glibc.shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the connection.
    func disconnect() {
        _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Reads until the server closes the connection; nil if it never does.
    func readToEnd() async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var received: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
                    if count <= 0 {
                        let timedOut = count < 0 && errno == EAGAIN
                        continuation.resume(
                            returning: timedOut ? nil : String(decoding: received, as: UTF8.self))
                        return
                    }
                    received += buffer[0..<count]
                }
            }
        }
    }
}

/// A parsed HTTP answer.
struct RawAnswer {
    let status: Int
    let fields: [String: String]
    let body: String

    /// nil if the text is not an HTTP answer.
    init?(_ text: String?) {
        guard let text, text.hasPrefix("HTTP/1.1 "), let status = Int(text.dropFirst(9).prefix(3)) else {
            return nil
        }
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        guard let end = lines.firstIndex(of: "") else { return nil }
        var fields: [String: String] = [:]
        for line in lines[1..<end] {
            let name = line.prefix { $0 != ":" }
            fields[name.lowercased()] = String(line.dropFirst(name.count + 2))
        }
        self.status = status
        self.fields = fields
        body = lines[(end + 1)...].joined(separator: "\r\n")
    }
}
