internal import ATPPlatform

/// The file of a Unix socket, in a directory that only its owner can enter.
struct ProxySocket {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Checks the directory, and removes the socket of a proxy that was killed.
    func prepare() throws {
        let directory = FileSystem.directory(of: path)
        do { try PrivateDirectory.verify(directory) } catch { throw failure(error, directory) }
        switch LocalSocket.state(of: path) {
        case .none: break
        case .dead:
            // If it stays, the proxy can't listen and says so.
            do { try FileSystem.remove(path) } catch {}
        case .inUse: throw Self.busy(path.escapedForTerminal)
        case .otherFile:
            throw Failure(
                .usage, "not_a_socket", "\(path.escapedForTerminal) exists and is no socket",
                hint: "name another path:  --socket PATH")
        case .tooLong:
            throw Failure.usage("the path of --socket is longer than the 107 bytes that the system takes")
        }
    }

    private func failure(_ error: FileAccessError, _ directory: String) -> Failure {
        let shown = path.escapedForTerminal
        if case .missing = error {
            return Failure(
                .usage, "no_directory", "the directory of \(shown) does not exist",
                hint: Failure.makingPrivate(directory))
        }
        // Another program may need the directory as it is, so its mode stays.
        return Failure(
            .usage, "open_directory", "the directory of \(shown) must be yours and closed to others",
            hint:
                "make one for --socket ~/.bskyauth-run/\(name.shellQuoted):  install -d -m 700 ~/.bskyauth-run"
        )
    }

    /// The last part of the path, as it is shown.
    private var name: String { String(path.split(separator: "/").last ?? "socket").escapedForTerminal }

    /// - Parameter name: the path, as it is shown.
    static func busy(_ name: String) -> Failure {
        Failure(
            .busy, "socket_busy", "another program listens on \(name)",
            hint: "name another path:  --socket PATH")
    }

    /// The file of the socket that listens now. Nil if it can't be told: then it is not removed.
    func file() -> MadeFile? {
        do { return try MadeFile(path) } catch { return nil }
    }
}
