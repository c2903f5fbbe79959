import Synchronization
import Testing

@testable import BskyAuthServer

@Suite struct ConnectionsTests {
    /// A connection that counts how often it was closed.
    private final class Connection: Sendable {
        let closed = Mutex(0)

        func wait(in connections: Connections) {
            connections.wait(ObjectIdentifier(self)) { self.closed.withLock { $0 += 1 } }
        }

        var id: ObjectIdentifier { ObjectIdentifier(self) }
        var isClosed: Bool { closed.withLock { $0 > 0 } }
    }

    private let connections = Connections(3)

    private func open() -> Connection {
        let connection = Connection()
        connections.opened()
        connection.wait(in: connections)
        return connection
    }

    @Test("the one that has waited longest makes room, and none that is worked for")
    func longest() {
        let three = (0..<3).map { _ in open() }
        connections.work(for: three[0].id)
        #expect(connections.hasRoom)
        let fourth = self.open()
        #expect(three.map(\.isClosed) == [false, true, false] && !fourth.isClosed)
        // It has been answered, so it waits anew, behind the others.
        three[0].wait(in: connections)
        connections.closed()
        let fifth = self.open()
        #expect(three.map(\.isClosed) == [false, true, true] && !fourth.isClosed && !fifth.isClosed)
    }

    @Test("new connections wait while all are worked for, and the first one that is done makes room")
    func full() {
        let three = (0..<3).map { _ in open() }
        for connection in three { connections.work(for: connection.id) }
        #expect(!connections.hasRoom)
        three[1].wait(in: connections)
        #expect(three.map(\.isClosed) == [false, true, false])
        connections.closed()
        #expect(connections.hasRoom)
        three[2].wait(in: connections)
        #expect(!three[2].isClosed)
    }

    @Test("many that only wait are closed one by one, and the newest stay")
    func flood() {
        let hundred = (0..<100).map { _ in open() }
        #expect(hundred.map(\.isClosed) == [Bool](repeating: true, count: 97) + [false, false, false])
        #expect(hundred.allSatisfy { $0.closed.withLock { $0 <= 1 } })
    }
}
