internal import Glibc

/// The files of Unix sockets.
package enum LocalSocket {
    package enum State: Sendable, Equatable {
        case none
        /// No process listens on it any more.
        case dead
        case inUse
        case otherFile
        /// The system takes no path of this length.
        case tooLong
    }

    /// What is at a path.
    package static func state(of path: String) -> State {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return .tooLong }
        guard let status = try? FileSystem.status(path) else { return .none }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return .otherFile }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        let connected = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(socket, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return connected != 0 && errno == ECONNREFUSED ? .dead : .inUse
    }
}
