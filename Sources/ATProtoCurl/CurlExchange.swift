internal import ATPNetworking
internal import CATPCurl
internal import HTTPTypes
internal import Synchronization

/// One request and its response: everything that the calling task and the curl thread share.
///
/// The curl thread keeps the rest in a ``CurlJob``.
final class CurlExchange: Sendable {
    typealias Head = Result<(status: Int, fields: HTTPFields), TransportError>
    typealias Chunk = Result<[UInt8]?, TransportError>

    enum Ending {
        case complete
        case failed(TransportError)
    }

    private struct State {
        var headWaiter: CheckedContinuation<Head, Never>?
        var chunkWaiter: CheckedContinuation<Chunk, Never>?
        /// The unread bytes, in pieces for the reader.
        var pieces: [[UInt8]] = []
        var isHeldBack = false
        /// Set once.
        var ending: Ending?
        var isUntrusted = false
    }

    /// With more unread bytes than this, the sender is held back.
    private static let mostBuffered = 256 * 1024
    /// The longest piece that is put together from shorter ones. One array for all bytes would grow by copying itself.
    private static let longestPiece = 128 * 1024

    let request: TransportRequest
    let policy: NetworkPolicy
    let configuration: CurlConfiguration
    let trust: TrustStores.Store
    /// The proxy that connects in our place; nil for a direct connection.
    let proxy: String?
    private let state = Mutex(State())

    init(
        _ request: TransportRequest, policy: NetworkPolicy, configuration: CurlConfiguration,
        trust: TrustStores.Store
    ) {
        self.request = request
        self.policy = policy
        self.configuration = configuration
        self.trust = trust
        proxy = configuration.proxy(for: request.url.origin, under: policy)
    }

    var hasEnded: Bool { state.withLock { $0.ending != nil } }

    /// Whether the sender waits until the body is read.
    var isHeldBack: Bool { state.withLock { $0.isHeldBack } }

    /// Whether the exchange ended because of the server's certificate: it is expired, for another name, or not signed
    /// by a trusted authority.
    var isUntrusted: Bool { state.withLock { $0.isUntrusted } }

    func error(
        _ code: TransportError.Code, requestWasSent: Bool, detail: String? = nil
    ) -> TransportError {
        TransportError(code, requestWasSent: requestWasSent, url: request.url.withoutQuery, detail: detail)
    }
}

// MARK: - The calling task

extension CurlExchange {
    /// Starts the exchange and waits for the response head.
    func head(start: () -> Void) async -> Head {
        await withCheckedContinuation { continuation in
            let ended: Head? = state.withLock { state in
                if case .failed(let error) = state.ending { return .failure(error) }
                state.headWaiter = continuation
                return nil
            }
            if let ended { continuation.resume(returning: ended) } else { start() }
        }
    }

    /// Waits for bytes of the body. Calls `resume` if the sender was held back.
    func chunk(resume: () -> Void) async -> Chunk {
        await withCheckedContinuation { continuation in
            let (ready, wasHeldBack): (Chunk?, Bool) = state.withLock { state in
                if !state.pieces.isEmpty {
                    let bytes = state.pieces.removeFirst()
                    let held = state.isHeldBack
                    state.isHeldBack = false
                    return (.success(bytes), held)
                }
                switch state.ending {
                case .complete: return (.success(nil), false)
                case .failed(let error): return (.failure(error), false)
                case nil:
                    state.chunkWaiter = continuation
                    let held = state.isHeldBack
                    state.isHeldBack = false
                    return (nil, held)
                }
            }
            if wasHeldBack { resume() }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Ends the body for its reader at once and drops the unread bytes.
    ///
    /// - Returns: false if the exchange had ended before.
    func abandon() -> Bool {
        let (wasOpen, waiter): (Bool, CheckedContinuation<Chunk, Never>?) = state.withLock { state in
            state.pieces = []
            guard state.ending == nil else { return (false, nil) }
            defer { state.chunkWaiter = nil }
            state.ending = .failed(error(.cancelled, requestWasSent: true))
            return (true, state.chunkWaiter)
        }
        waiter?.resume(returning: .failure(error(.cancelled, requestWasSent: true)))
        return wasOpen
    }
}

// MARK: - The curl thread

extension CurlExchange {
    func deliverHead(status: Int, fields: HTTPFields) {
        let waiter = state.withLock { state in
            defer { state.headWaiter = nil }
            return state.headWaiter
        }
        waiter?.resume(returning: .success((status, fields)))
    }

    /// Takes bytes of the body; false holds the sender back.
    func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard unsafe !bytes.isEmpty else { return true }
        let (accepted, waiter): (Bool, CheckedContinuation<Chunk, Never>?) = state.withLock { state in
            guard state.ending == nil else { return (true, nil) }
            guard state.pieces.reduce(0, { $0 + $1.count }) < Self.mostBuffered else {
                state.isHeldBack = true
                return (false, nil)
            }
            if let waiter = state.chunkWaiter {
                state.chunkWaiter = nil
                return (true, waiter)
            }
            if let last = state.pieces.indices.last,
                state.pieces[last].count + bytes.count <= Self.longestPiece
            {
                unsafe state.pieces[last].append(contentsOf: bytes)
            } else {
                unsafe state.pieces.append(Array(bytes))
            }
            return (true, nil)
        }
        if let waiter { unsafe waiter.resume(returning: .success(Array(bytes))) }
        return accepted
    }

    /// Ends the exchange. One that has ended before stays as it is.
    func end(_ ending: Ending, isUntrusted: Bool = false) {
        let (head, chunk) = state.withLock { state in
            defer { (state.headWaiter, state.chunkWaiter) = (nil, nil) }
            if state.ending == nil { (state.ending, state.isUntrusted) = (ending, isUntrusted) }
            return (state.headWaiter, state.chunkWaiter)
        }
        switch ending {
        case .complete: chunk?.resume(returning: .success(nil))
        case .failed(let error):
            head?.resume(returning: .failure(error))
            chunk?.resume(returning: .failure(error))
        }
    }
}
