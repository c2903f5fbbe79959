internal import HummingbirdCore
internal import Synchronization

/// The open connections. If there is no room for a new one, the one that has waited longest for its client is closed: for a
/// request, for the rest of its head, or for the rest of its body. So connections that only exist keep nothing from being served.
final class Connections: Sendable {
    private struct Waiting {
        /// In the order in which they began to wait.
        let number: Int
        let close: @Sendable () -> Void
    }

    private struct State {
        var open = 0
        /// Whether new connections wait for room, because the server works for each of the open ones.
        var isFull = false
        var waiting: [ObjectIdentifier: Waiting] = [:]
        var next = 0

        /// Takes out the one that has waited longest.
        mutating func removeLongest() -> Waiting? {
            guard let longest = waiting.min(by: { $0.value.number < $1.value.number }) else { return nil }
            waiting[longest.key] = nil
            return longest.value
        }
    }

    private let most: Int
    private let state = Mutex(State())

    init(_ most: Int) { self.most = most }

    /// A connection waits for its client from now on.
    ///
    /// - Parameter close: closes it. Any thread may call it.
    func wait(_ connection: ObjectIdentifier, close: @escaping @Sendable () -> Void) {
        let isTooMany = state.withLock { state in
            if state.isFull { return true }
            state.waiting[connection] = Waiting(number: state.next, close: close)
            state.next += 1
            return false
        }
        if isTooMany { close() }
    }

    /// The server works for a connection from now on, or it has ended.
    func work(for connection: ObjectIdentifier) {
        state.withLock { $0.waiting[connection] = nil }
    }

    func opened() {
        let longest = state.withLock { state in
            state.open += 1
            return state.open > most ? state.removeLongest() : nil
        }
        longest?.close()
    }

    func closed() {
        state.withLock { state in
            state.open -= 1
            if state.open < most { state.isFull = false }
        }
    }

    /// Whether there is room, or room can be made.
    var hasRoom: Bool {
        state.withLock { state in
            state.isFull = state.open >= most && state.waiting.isEmpty
            return !state.isFull
        }
    }
}

extension Connections {
    /// Tells the server when to accept connections.
    struct Delegate: AvailableConnectionsDelegate {
        let connections: Connections

        func connectionOpened() { connections.opened() }
        func connectionClosed() { connections.closed() }
        func isAcceptingNewConnections() -> Bool { connections.hasRoom }
    }
}
