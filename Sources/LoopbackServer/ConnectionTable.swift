internal import NIOCore
internal import Synchronization

/// The open connections, up to a limit.
///
/// Browsers open connections ahead and send nothing on them, and so can any program on this machine. When there are too
/// many, the oldest connection that is not being answered is closed.
final class ConnectionTable: Sendable {
    private struct Entry {
        let channel: any Channel
        var isAnswering = false
    }

    private let capacity: Int
    private let entries = Mutex<[Entry]>([])

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Adds a connection, and closes another one if there are too many.
    func admit(_ channel: any Channel) {
        let excess: (any Channel)? = entries.withLock { entries in
            entries.append(Entry(channel: channel))
            guard entries.count > capacity, let index = entries.firstIndex(where: { !$0.isAnswering }) else {
                return nil
            }
            return entries.remove(at: index).channel
        }
        excess?.close(promise: nil)
    }

    /// Marks a connection as being answered.
    func keep(_ channel: any Channel) {
        entries.withLock { entries in
            for index in entries.indices where entries[index].channel === channel {
                entries[index].isAnswering = true
            }
        }
    }

    /// Removes a closed connection.
    func remove(_ channel: any Channel) {
        entries.withLock { $0.removeAll { $0.channel === channel } }
    }
}
