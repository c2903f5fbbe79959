internal import ATPNetworking
internal import FoundationEssentials
internal import Synchronization

/// Sends the requests of logins that begin. A stranger chooses where they go, so one server gets few of them at a time, and none
/// for a minute after it could not be reached.
final class SparingTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let now: @Sendable () -> Date
    private let places = Places<Origin>(most: 4)
    private let failures = RecentFailures<Origin, TransportError.Code>()

    init(_ transport: any HTTPTransport, now: @escaping @Sendable () -> Date) {
        self.transport = transport
        self.now = now
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let (origin, url) = (request.url.origin, request.url.description)
        guard await places.take(origin) else {
            throw TransportError(.cancelled, requestWasSent: false, url: url)
        }
        defer { places.giveBack(origin) }
        if let code = failures.find(origin, at: now()) {
            throw TransportError(code, requestWasSent: false, url: url)
        }
        do { return try await transport.send(request) } catch {
            if Self.failuresOfServers.contains(error.code) {
                failures.note(error.code, of: origin, at: now())
            }
            throw error
        }
    }

    private static let failuresOfServers: Set<TransportError.Code> = [
        .nameNotResolved, .notConnected, .untrusted, .handshakeFailed, .timedOut, .connectionLost,
    ]
}

/// Lets a few tasks at a time do something with one key. The others wait for their turn.
final class Places<Key: Hashable & Sendable>: Sendable {
    private struct Waiter {
        let id: UUID
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var taken: [Key: Int] = [:]
        var waiters: [Key: [Waiter]] = [:]

        /// Takes a waiter out of the line; nil if there is none.
        mutating func remove(_ index: Int, of key: Key) -> Waiter? {
            guard var line = waiters[key], line.indices.contains(index) else { return nil }
            let waiter = line.remove(at: index)
            waiters[key] = line.isEmpty ? nil : line
            return waiter
        }
    }

    private let most: Int
    private let state = Mutex(State())

    init(most: Int) { self.most = most }

    /// How many tasks wait for a key.
    func waiting(for key: Key) -> Int { state.withLock { $0.waiters[key, default: []].count } }

    /// Waits for a place, which the caller gives back.
    ///
    /// - Returns: false if the task was cancelled before it had one.
    func take(_ key: Key) async -> Bool {
        let id = UUID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    guard state.taken[key, default: 0] >= most else {
                        state.taken[key, default: 0] += 1
                        return true
                    }
                    state.waiters[key, default: []].append(Waiter(id: id, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let index = state.waiters[key]?.firstIndex { $0.id == id }
                return index.flatMap { state.remove($0, of: key) }
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    /// Gives a place to the first task that waits.
    func giveBack(_ key: Key) {
        let next = state.withLock { state -> Waiter? in
            if let waiter = state.remove(0, of: key) { return waiter }
            let taken = state.taken[key, default: 0] - 1
            state.taken[key] = taken > 0 ? taken : nil
            return nil
        }
        next?.continuation.resume(returning: true)
    }
}

/// Failures of the last minute. The limit of logins in a minute bounds how many there are.
final class RecentFailures<Key: Hashable & Sendable, Failure: Sendable>: Sendable {
    private let entries = Mutex<[Key: (failure: Failure, end: Date)]>([:])

    /// How long a failure is remembered.
    private static var time: TimeInterval { 60 }

    func find(_ key: Key, at now: Date) -> Failure? {
        entries.withLock { entries in entries[key].flatMap { now < $0.end ? $0.failure : nil } }
    }

    func note(_ failure: Failure, of key: Key, at now: Date) {
        entries.withLock { entries in
            entries = entries.filter { now < $0.value.end }
            entries[key] = (failure, now + Self.time)
        }
    }
}
