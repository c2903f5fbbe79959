internal import Platform

/// The file of a Unix socket, in a directory that only its owner can enter.
struct ProxySocket {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Checks the directory, and removes the socket of a proxy that was killed.
    func prepare() throws {
        let directory = FileSystem.directory(of: path)
        do { try PrivateDirectory.verify(directory) } catch {
            throw Failure(
                .usage, "open_directory",
                "the directory of \(path.escapedForTerminal) must be yours and closed to others",
                hint: "mkdir -m 700 DIR   and --socket DIR/NAME")
        }
        switch LocalSocket.state(of: path) {
        case .none: break
        case .dead: remove()
        case .inUse: throw Self.busy(path.escapedForTerminal)
        case .otherFile:
            throw Failure(
                .usage, "not_a_socket", "\(path.escapedForTerminal) exists and is no socket",
                hint: "bskyauth proxy --socket PATH   another path")
        case .tooLong:
            throw Failure.usage("the path of --socket is longer than the 107 bytes that the system takes")
        }
    }

    /// - Parameter name: the path, as it is shown.
    static func busy(_ name: String) -> Failure {
        Failure(
            .busy, "socket_busy", "another program listens on \(name)",
            hint: "bskyauth proxy --socket PATH   another path")
    }

    func remove() {
        // If it stays, the next proxy removes it.
        do { try FileSystem.remove(path) } catch {}
    }
}
