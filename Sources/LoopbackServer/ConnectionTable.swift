internal import NIOCore
internal import Synchronization

/// The open connections, few at any time.
///
/// Browsers open some ahead and send nothing on them, and anyone on this machine can; so when all places are
/// taken the oldest connection without a request makes room, and only answers under way keep theirs.
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

    /// Takes a connection in and closes one where that makes too many.
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

    /// Notes that a connection's request is being answered.
    func keep(_ channel: any Channel) {
        entries.withLock { entries in
            for index in entries.indices where entries[index].channel === channel {
                entries[index].isAnswering = true
            }
        }
    }

    /// Forgets a closed connection.
    func remove(_ channel: any Channel) {
        entries.withLock { $0.removeAll { $0.channel === channel } }
    }
}
