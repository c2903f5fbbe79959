internal import CATPPlatform
internal import Glibc

/// One end of a pair of connected local sockets that keep messages apart (SOCK_SEQPACKET). It closes with its last
/// reference, and the other end then reads the end.
package final class MessageSocket: Sendable {
    /// The longest message in bytes.
    package static let longest = 1 << 16

    fileprivate let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Two connected ends.
    static func pair() throws(SystemError) -> (MessageSocket, MessageSocket) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .last("socketpair", "") }
        return (MessageSocket(descriptor: ends[0]), MessageSocket(descriptor: ends[1]))
    }

    /// Standard input, if it is such a socket.
    package static func standardInput() -> MessageSocket? {
        var kind: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(0, SOL_SOCKET, SO_TYPE, &kind, &length) == 0,
            kind == SOCK_SEQPACKET.rawValue
        else { return nil }
        return MessageSocket(descriptor: 0)
    }

    /// Sends a message that is not empty.
    ///
    /// - Parameter waits: whether to wait while the other end does not read. If not, the message is dropped.
    package func send(_ message: [UInt8], waits: Bool = true) throws(SystemError) {
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        do throws(SystemError) {
            try SystemError.retrying("send", "") {
                unsafe Glibc.send(descriptor, message, message.count, flags)
            }
        } catch {
            guard !waits, error.errno == EAGAIN else { throw error }
        }
    }

    /// Ends the connection. Both ends read the end.
    package func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The next message; nil at the end, or if the message is too long. Blocks the thread.
    package func receive() throws(SystemError) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: Self.longest + 1)
        let count = try SystemError.retrying("recv", "") {
            unsafe recv(descriptor, &buffer, buffer.count, 0)
        }
        guard (1...Self.longest).contains(count) else { return nil }
        buffer.removeLast(buffer.count - count)
        return buffer
    }

    /// Waits for a message or for the end. Blocks the thread.
    ///
    /// - Returns: false if the time is over.
    package func waitForMessage(_ time: Duration) throws(SystemError) -> Bool {
        let deadline = ContinuousClock.now.advanced(by: time)
        var files = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        while true {
            let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
            let count = unsafe poll(&files, 1, Int32(rest / .milliseconds(1)))
            if count >= 0 { return count > 0 }
            guard errno == EINTR else { throw .last("poll", "") }
        }
    }

    /// Waits for a message or for the end while signals are held back (``SignalHold``). Blocks the thread.
    ///
    /// - Returns: false if a signal came that ends the process.
    package func waitForMessageOrSignal() -> Bool {
        bskyauth_wait_for_input(descriptor) != 0 || !SignalHold.endsProcess
    }
}

/// A program in a session of its own, without a terminal. Its standard input is a socket, and its other standard streams
/// are /dev/null.
package struct DetachedProgram: Sendable {
    /// This end of the socket.
    package let socket: MessageSocket
    private let process: pid_t

    /// - Parameter path: the file to start.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String]
    ) throws(SystemError) {
        let (mine, theirs) = try MessageSocket.pair()
        process = try ChildProcess.spawn(
            arguments, environment, program: path, input: theirs.descriptor, output: nil, place: .ownSession,
            isQuiet: true)
        socket = mine
    }

    /// Kills the program, which must hold nothing that matters, and frees its process.
    package func kill() {
        Glibc.kill(process, SIGKILL)
        reap()
    }

    /// Frees the process of a program that has ended or is about to. Until then it counts against the user's limit.
    package func reap() {
        var status: Int32 = 0
        _ = try? SystemError.retrying("waitpid", "") { unsafe waitpid(process, &status, 0) }
    }
}
