internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Something that has happened to an account. It is told after it is saved, so nothing is lost without a listener.
public struct SessionEvent: Sendable, Hashable {
    /// What has happened. More kinds may come, so a `switch` over them needs a default.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        /// The name of the kind, such as `refreshed`, for logs.
        public var description: String { name }

        /// A login was saved.
        public static let loggedIn = Kind(name: "loggedIn")
        /// The session has new tokens.
        public static let refreshed = Kind(name: "refreshed")
        /// The session can't be used any more. Only a new login helps.
        public static let ended = Kind(name: "ended")
        /// The account has another handle or another server.
        public static let changed = Kind(name: "changed")
        /// The account was removed.
        public static let loggedOut = Kind(name: "loggedOut")
    }

    /// What has happened.
    public let kind: Kind
    /// The account, as it is now.
    public let account: Account
}

/// Tells events to everybody who listens.
final class EventHub: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// The events from now on. The newest 1,000 are kept for a listener that is slow.
    func listen() -> AsyncStream<SessionEvent> {
        let (events, listener) = AsyncStream.makeStream(
            of: SessionEvent.self, bufferingPolicy: .bufferingNewest(1000))
        let number = state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = listener
            return state.lastNumber
        }
        listener.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[number] = nil }
        }
        return events
    }

    func tell(_ kind: SessionEvent.Kind, _ account: Account) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield(SessionEvent(kind: kind, account: account)) }
    }

    deinit {
        for listener in state.withLock({ $0.listeners.values }) { listener.finish() }
    }
}
