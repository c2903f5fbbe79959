internal import NIOCore
internal import Synchronization

/// The open connections, up to a limit.
///
/// Browsers open connections ahead and send nothing on them, and so can any program on this machine. When there are too
/// many, the oldest connection that has not shown a secret is closed.
final class ConnectionTable: Sendable {
    private struct Entry {
        let channel: any Channel
        var isKept = false
    }

    private let capacity: Int
    private let countsKept: Bool
    private let mostKept: Int
    private let entries = Mutex<[Entry]>([])

    /// - Parameters:
    ///   - capacity: the most connections.
    ///   - countsKept: whether the connections that are kept count, too.
    ///   - mostKept: the most connections that are kept.
    init(capacity: Int, countsKept: Bool, mostKept: Int = .max) {
        self.capacity = capacity
        self.countsKept = countsKept
        self.mostKept = mostKept
    }

    /// Adds a connection, and closes another one if there are too many.
    func admit(_ channel: any Channel) {
        let excess: (any Channel)? = entries.withLock { entries in
            entries.append(Entry(channel: channel))
            let count = countsKept ? entries.count : entries.count(where: { !$0.isKept })
            guard count > capacity, let index = entries.firstIndex(where: { !$0.isKept }) else { return nil }
            return entries.remove(at: index).channel
        }
        excess?.close(promise: nil)
    }

    /// Marks a connection that is not closed for another one.
    ///
    /// - Returns: false if there are too many of them.
    @discardableResult
    func keep(_ channel: any Channel) -> Bool {
        entries.withLock { entries in
            guard entries.count(where: \.isKept) < mostKept else { return false }
            for index in entries.indices where entries[index].channel === channel {
                entries[index].isKept = true
            }
            return true
        }
    }

    /// Removes a closed connection.
    func remove(_ channel: any Channel) {
        entries.withLock { $0.removeAll { $0.channel === channel } }
    }
}
