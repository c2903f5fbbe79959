internal import ATPNetworking
internal import FoundationEssentials
internal import HTTPTypes

/// What runs now for the holders of sessions. A session has few requests at a time, and the server of an account gets few calls at a
/// time, so that one person whose server is slow does not take the connections of all.
struct Calls: Sendable {
    typealias Server = Slots<Origin?>.Slot

    private let sessions: Slots<UUID>
    private let servers: Slots<Origin?>

    init(_ limits: Configuration.Limits) {
        sessions = Slots(.max, ofEach: limits.requestsPerSession)
        servers = Slots(limits.callsAtOnce, ofEach: limits.callsPerServer)
    }

    /// Takes the place of a request. It is free again when it is released.
    ///
    /// - Throws: ``Problem`` if the session has no free place.
    func take(of session: UUID) throws(Problem) -> Slots<UUID>.Slot {
        guard let slot = sessions.take(for: session) else {
            throw Problem(
                .tooManyRequests, "too_many_requests",
                "Too many requests of this session run now. Wait until one has ended.", retryAfter: 5)
        }
        return slot
    }

    /// Takes the place of a call to the server of an account. It is free again when it is released.
    ///
    /// - Parameter server: nil if the server is not known.
    /// - Throws: ``Problem`` if the server has no free place, or there is none at all.
    func take(at server: Origin?) throws(Problem) -> Server {
        guard let slot = servers.take(for: server) else {
            throw Problem(
                .serviceUnavailable, "server_busy",
                "Too many calls to the server of this account run now. Try again in a moment.", retryAfter: 5)
        }
        return slot
    }
}
