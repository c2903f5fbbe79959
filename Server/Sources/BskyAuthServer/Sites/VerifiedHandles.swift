internal import ATProtoIdentity
internal import FoundationEssentials
internal import Logging

/// The handles of DIDs, each verified within the last hour: the document of the DID claims the handle, and the handle leads to
/// the DID.
actor VerifiedHandles {
    private struct Lookup {
        let task: Task<Handle?, Never>
        var end: Date
    }

    private let identities: any IdentitySource
    private let log: Logger
    private let now: @Sendable () -> Date
    private var lookups: [DID: Lookup] = [:]

    /// How long a handle counts.
    private static let lifetime: TimeInterval = 3600
    /// How long a DID counts as one without a handle, after a handle was not found.
    private static let pause: TimeInterval = 60
    /// How long a lookup may take.
    private static let limit = Duration.seconds(5)

    init(_ identities: any IdentitySource, log: Logger, now: @escaping @Sendable () -> Date) {
        self.identities = identities
        self.log = log
        self.now = now
    }

    /// The handle of a DID. Requests that come at the same time share one lookup.
    ///
    /// - Returns: nil if the DID has no handle, or if that could not be verified.
    func handle(of did: DID) async -> Handle? {
        let time = now()
        if let lookup = lookups[did], time < lookup.end { return await lookup.task.value }
        lookups = lookups.filter { time < $0.value.end }
        let task = Task { [identities, log] in await Self.verify(did, identities, log) }
        // The hour begins with the lookup, not with its end.
        lookups[did] = Lookup(task: task, end: time + Self.lifetime)
        let handle = await task.value
        if handle == nil { lookups[did]?.end = time + Self.pause }
        return handle
    }

    private static func verify(_ did: DID, _ identities: any IdentitySource, _ log: Logger) async -> Handle? {
        do {
            return try await withLimit(limit) { try await identities.verifiedHandle(of: did) }
        } catch {
            log.warning("the handle of \(did) was not verified: \(error)")
            return nil
        }
    }
}
