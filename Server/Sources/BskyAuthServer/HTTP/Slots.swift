internal import Synchronization

/// Counts what goes on at the same time: in all, and for each key, so that one session, client or server does not take what is
/// there for all.
final class Slots<Key: Hashable & Sendable>: Sendable {
    private struct Taken {
        var all = 0
        var each: [Key: Int] = [:]
    }

    private let most: Int
    private let mostOfEach: Int
    private let taken = Mutex(Taken())

    /// - Parameters:
    ///   - most: the most slots that are taken at the same time.
    ///   - mostOfEach: the most of them of one key.
    init(_ most: Int, ofEach mostOfEach: Int) {
        self.most = most
        self.mostOfEach = mostOfEach
    }

    /// A slot, which is free again when this is released.
    final class Slot: Sendable {
        private let slots: Slots
        private let key: Key

        fileprivate init(_ slots: Slots, _ key: Key) {
            self.slots = slots
            self.key = key
        }

        deinit {
            slots.taken.withLock { taken in
                let count = taken.each[key, default: 1] - 1
                taken.each[key] = count > 0 ? count : nil
                taken.all -= 1
            }
        }
    }

    /// Takes a slot; nil if none is free.
    func take(for key: Key) -> Slot? {
        let isTaken = taken.withLock { taken in
            let own = taken.each[key, default: 0]
            guard own < mostOfEach, taken.all < most else { return false }
            taken.each[key] = own + 1
            taken.all += 1
            return true
        }
        return isTaken ? Slot(self, key) : nil
    }
}
