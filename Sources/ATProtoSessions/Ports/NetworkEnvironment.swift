package import ATPNetworking
package import ATProtoIdentity
package import Logging

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The ports of a flow that asks servers but uses no account.
///
/// No part has defaults. The command line makes the live implementations, and tests make their own.
package struct NetworkEnvironment: Sendable {
    package let policy: NetworkPolicy
    package let transport: any HTTPTransport
    package let identities: IdentityResolver
    package let caches: any CacheStore
    package let wallClock: any WallClock
    package let log: Logger
    /// Server metadata that was fetched since this value was made.
    package let knownServers = KnownServers()

    package init(
        policy: NetworkPolicy, transport: any HTTPTransport, identities: IdentityResolver,
        caches: any CacheStore, wallClock: any WallClock, log: Logger
    ) {
        self.policy = policy
        self.transport = transport
        self.identities = identities
        self.caches = caches
        self.wallClock = wallClock
        self.log = log
    }

    /// Logs a failure that changes nothing for the user.
    package func note(_ what: String, _ error: any Error) {
        log.info("\(what)", metadata: ["error": .stringConvertible(LoggedError(error: error))])
    }
}

/// An error in a log message. The program's log handler has words of its own for it.
package struct LoggedError: CustomStringConvertible, Sendable {
    package let error: any Error

    package init(error: any Error) {
        self.error = error
    }

    package var description: String { ATProtoFailure(error).description }
}

/// Tells the time, and waits until a later time.
public protocol WallClock: Sendable {
    /// The present time.
    var now: Date { get }
    /// Waits until a time.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(until date: Date) async throws
}

extension WallClock {
    /// Waits until a date. Throws ``SessionFailure/cancelled`` if the task is cancelled.
    package func wait(until date: Date) async throws {
        do { try await sleep(until: date) } catch is CancellationError { throw SessionFailure.cancelled }
    }
}

/// The clock of this machine.
public struct SystemClock: WallClock {
    /// The clock of this machine.
    public init() {}

    /// The present time.
    public var now: Date { Date() }

    /// Waits until a time. Throws `CancellationError` if the task is cancelled.
    public func sleep(until date: Date) async throws {
        try await Task.sleep(for: .seconds(max(0, date.timeIntervalSinceNow)))
    }
}

/// Small files that may be deleted at any time: nonces, clock offsets, verified issuers. They hold no secrets.
package protocol CacheStore: Sendable {
    /// Reads a file; nil if it is missing or unreadable.
    func read(_ name: String) -> [UInt8]?
    /// Replaces the content. A failure is only logged, because it costs one more request later.
    func write(_ name: String, _ content: [UInt8])
    func remove(_ name: String)
}

/// Work that goes on when the task that waits for it is cancelled.
package protocol UncancelledWork: Sendable {
    /// Runs work that continues when the calling task is cancelled. Its thread should exist already, in case the
    /// system can't start another one.
    func uncancelled<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value
}

/// Proves that a text in a cache is one's own, because others may be able to write to the cache.
package protocol CacheSeal: Sendable {
    /// The authentication code of a text.
    func code(ofCached text: [UInt8]) -> [UInt8]
    /// Whether a code is that of a text.
    func isAuthentic(_ code: [UInt8], ofCached text: [UInt8]) -> Bool
}
