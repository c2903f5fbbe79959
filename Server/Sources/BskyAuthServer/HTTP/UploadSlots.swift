internal import FoundationEssentials
internal import HTTPTypes
internal import Synchronization

/// Counts the long bodies that are kept, so that they don't fill the disk.
final class UploadSlots: Sendable {
    private let most: Int
    private let taken = Mutex<[UUID: Int]>([:])

    /// The most slots of one session.
    private static let mostOfSession = 4

    init(_ most: Int) { self.most = most }

    /// The place of one body. It is free again when this is released.
    final class Slot: Sendable {
        private let slots: UploadSlots
        private let session: UUID

        fileprivate init(_ slots: UploadSlots, _ session: UUID) {
            self.slots = slots
            self.session = session
        }

        deinit {
            slots.taken.withLock { taken in
                let count = taken[session, default: 1] - 1
                taken[session] = count > 0 ? count : nil
            }
        }
    }

    /// - Throws: ``Problem`` if no place is free.
    func take(for session: UUID) throws(Problem) -> Slot {
        let isTaken = taken.withLock { taken in
            let own = taken[session, default: 0]
            guard own < Self.mostOfSession, taken.values.reduce(0, +) < most else { return false }
            taken[session] = own + 1
            return true
        }
        guard isTaken else {
            throw Problem(
                .serviceUnavailable, "too_many_uploads", "Too many uploads run now. Try again in a moment.",
                retryAfter: 5)
        }
        return Slot(self, session)
    }
}
