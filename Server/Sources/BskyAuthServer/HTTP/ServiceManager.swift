internal import FoundationEssentials
internal import Glibc

/// The service manager that started the server, if it waits for a message as systemd does for `Type=notify`.
enum ServiceManager {
    /// Tells it that the server is ready, as sd_notify(3) does.
    ///
    /// - Returns: false if the message could not be sent.
    static func ready() -> Bool {
        guard let name = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] else { return true }
        var bytes = Array(name.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard (2...MemoryLayout.size(ofValue: address.sun_path)).contains(bytes.count) else { return false }
        // An at sign stands for the zero byte of an abstract name.
        if name.hasPrefix("@") { bytes[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout.size(ofValue: address.sun_family) + bytes.count)

        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let message = Array("READY=1".utf8)
        let sent = unsafe withUnsafeBytes(of: &address) { address in
            let address = unsafe address.assumingMemoryBound(to: sockaddr.self).baseAddress
            return unsafe sendto(descriptor, message, message.count, 0, address, length)
        }
        return sent == message.count
    }
}
