internal import ATPJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs rotations somewhere else, so that a rotation outlives the task or the process that needs it. Without one, a client runs
/// them in its own process, where a cancelled task does not cancel a request that was sent.
public protocol RotationRunner: Sendable {
    /// Rotates the tokens of an account, and saves them, in the store that the client uses too. The other side calls
    /// ``ATProtoClient/rotate(for:)``.
    ///
    /// - Returns: nil if there is no other side, or it did not answer. Then the caller rotates by itself, which is as safe as a rotation
    ///   after a kill.
    /// - Throws: the failure of the rotation.
    func rotate(_ request: RotationRequest) async throws -> RefreshOutcome?
}

/// A rotation that somebody else asks for. It holds no secret.
public struct RotationRequest: Sendable, Equatable {
    /// ``Account/id``.
    public let account: UUID
    /// The fingerprint of the access token that the other process has seen.
    package let seen: String
    package let isForced: Bool
    /// Whether the server refused the access token.
    package let isRefused: Bool
    /// Whether to wait if an earlier refresh may still be answered, or must not be sent again yet.
    package let awaitsRefresh: Bool
    package let lockTimeout: Duration

    package init(
        account: UUID, seen: String, isForced: Bool, isRefused: Bool, awaitsRefresh: Bool,
        lockTimeout: Duration
    ) {
        self.account = account
        self.seen = seen
        self.isForced = isForced
        self.isRefused = isRefused
        self.awaitsRefresh = awaitsRefresh
        self.lockTimeout = lockTimeout
    }

    /// The request as text, to send it.
    public var archive: String {
        JSONValue.object([
            "account": .string(account.text), "seen": .string(seen), "forced": .bool(isForced),
            "refused": .bool(isRefused), "awaits_refresh": .bool(awaitsRefresh),
            "lock_timeout_ms": JSONValue(Int64(lockTimeout / .milliseconds(1))),
        ]).text
    }

    /// Reads ``archive``. Nil for another text.
    public init?(archive: String) {
        guard let json = try? JSONParser.parse(archive), let seen = json["seen"]?.string,
            let account = json["account"]?.string.flatMap(UUID.init(uuidString:)),
            let isForced = json["forced"]?.bool, let isRefused = json["refused"]?.bool,
            let awaitsRefresh = json["awaits_refresh"]?.bool,
            let lockTimeout = json["lock_timeout_ms"]?.integer
        else { return nil }
        self.init(
            account: account, seen: seen, isForced: isForced, isRefused: isRefused,
            awaitsRefresh: awaitsRefresh, lockTimeout: .milliseconds(lockTimeout))
    }
}
