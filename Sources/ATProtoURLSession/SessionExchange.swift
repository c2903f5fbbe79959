internal import ATPNetworking
internal import HTTPTypes
internal import Synchronization

/// One request and its response: everything that the calling task and URLSession's threads share.
final class SessionExchange: Sendable {
    typealias Head = Result<(status: Int, fields: HTTPFields), TransportError>
    typealias Chunk = Result<[UInt8]?, TransportError>

    enum Ending {
        case complete
        case failed(TransportError)
    }

    private struct State {
        var headWaiter: CheckedContinuation<Head, Never>?
        var chunkWaiter: CheckedContinuation<Chunk, Never>?
        /// The unread bytes, as they arrived, and how many they are.
        var pieces: [[UInt8]] = []
        var bytes = 0
        /// Whether URLSession may have sent a byte.
        var hasStarted = false
        /// Set once.
        var ending: Ending?
    }

    /// The most bytes of one body in memory, because URLSession can't hold a sender back, nor wait for a body to send.
    static let mostInMemory = 64 << 20

    let request: TransportRequest
    private let state = Mutex(State())

    init(_ request: TransportRequest) {
        self.request = request
    }

    func error(
        _ code: TransportError.Code, requestWasSent: Bool, detail: String? = nil
    ) -> TransportError {
        TransportError(code, requestWasSent: requestWasSent, url: request.url.withoutQuery, detail: detail)
    }
}

// MARK: - The calling task

extension SessionExchange {
    /// Starts the exchange and waits for the response head.
    func head(start: () -> Void) async -> Head {
        await withCheckedContinuation { continuation in
            let ended: Head? = state.withLock { state in
                if case .failed(let error) = state.ending { return .failure(error) }
                state.headWaiter = continuation
                state.hasStarted = true
                return nil
            }
            if let ended { continuation.resume(returning: ended) } else { start() }
        }
    }

    /// Waits for bytes of the body.
    func chunk() async -> Chunk {
        await withCheckedContinuation { continuation in
            let ready: Chunk? = state.withLock { state in
                if !state.pieces.isEmpty {
                    let bytes = state.pieces.removeFirst()
                    state.bytes -= bytes.count
                    return .success(bytes)
                }
                switch state.ending {
                case .complete: return .success(nil)
                case .failed(let error): return .failure(error)
                case nil:
                    state.chunkWaiter = continuation
                    return nil
                }
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Drops the unread bytes.
    func dropBody() {
        state.withLock { state in (state.pieces, state.bytes) = ([], 0) }
    }

    /// Ends the exchange before its answer is complete.
    ///
    /// - Returns: false if the exchange had ended before.
    @discardableResult func stop(_ code: TransportError.Code) -> Bool {
        let wasSent = state.withLock { $0.hasStarted }
        return end(.failed(error(code, requestWasSent: wasSent)))
    }
}

// MARK: - URLSession's threads

extension SessionExchange {
    func deliverHead(status: Int, fields: HTTPFields) {
        let waiter = state.withLock { state in
            defer { state.headWaiter = nil }
            return state.headWaiter
        }
        waiter?.resume(returning: .success((status, fields)))
    }

    /// Keeps bytes of the body until they are read. If more than ``mostInMemory`` bytes wait, the exchange ends.
    ///
    /// - Returns: false if the exchange has ended.
    func deliver(_ bytes: [UInt8]) -> Bool {
        typealias Taken = (isOpen: Bool, isFull: Bool, waiter: CheckedContinuation<Chunk, Never>?)
        let taken: Taken = state.withLock { state in
            guard state.ending == nil else { return (false, false, nil) }
            defer { state.chunkWaiter = nil }
            if state.chunkWaiter == nil {
                state.pieces.append(bytes)
                state.bytes += bytes.count
            }
            return (true, state.bytes > Self.mostInMemory, state.chunkWaiter)
        }
        taken.waiter?.resume(returning: .success(bytes))
        if taken.isFull { stop(.tooLarge(limit: Self.mostInMemory)) }
        return taken.isOpen && !taken.isFull
    }

    /// Ends the exchange. One that has ended before stays as it is.
    ///
    /// - Returns: false if the exchange had ended before.
    @discardableResult func end(_ ending: Ending) -> Bool {
        typealias Waiters = (
            isFirst: Bool, head: CheckedContinuation<Head, Never>?, chunk: CheckedContinuation<Chunk, Never>?
        )
        let waiters: Waiters = state.withLock { state in
            guard state.ending == nil else { return (false, nil, nil) }
            state.ending = ending
            defer { (state.headWaiter, state.chunkWaiter) = (nil, nil) }
            return (true, state.headWaiter, state.chunkWaiter)
        }
        let noHead = error(.connectionLost, requestWasSent: true, detail: "no response head")
        switch ending {
        case .complete:
            waiters.head?.resume(returning: .failure(noHead))
            waiters.chunk?.resume(returning: .success(nil))
        case .failed(let error):
            waiters.head?.resume(returning: .failure(error))
            waiters.chunk?.resume(returning: .failure(error))
        }
        return waiters.isFirst
    }
}
