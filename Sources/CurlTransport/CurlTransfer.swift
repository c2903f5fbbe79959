internal import CCurl
internal import HTTPTypes
internal import Networking
internal import Synchronization

/// One exchange: what the curl thread writes and what the asking task reads.
///
/// Checked by hand to be safe to share: everything in ``State`` is behind a lock, the rest belongs to the
/// curl thread from ``prepare()`` on.
final class CurlTransfer: @unchecked Sendable {
    typealias Head = Result<(status: Int, fields: HTTPFields), TransportError>
    typealias Chunk = Result<[UInt8]?, TransportError>

    private struct State {
        var headWaiter: CheckedContinuation<Head, Never>?
        var chunkWaiter: CheckedContinuation<Chunk, Never>?
        var buffer: [UInt8] = []
        var isHeldBack = false
        /// Set once.
        var ending: Ending?
        var isUntrusted = false
    }

    private enum Ending {
        case complete
        case failed(TransportError)
    }

    /// Past this the sender is held back until somebody reads.
    private static let mostBuffered = 512 * 1024

    let request: TransportRequest
    let policy: NetworkPolicy
    let configuration: CurlConfiguration
    let trust: TrustStores.Store
    /// What connects in our place; nil where we do.
    let proxy: String?

    // The curl thread's own.
    private(set) var easy: CurlEasyHandle?
    var responseHead = ResponseHeadParser()
    private var bodyReader: (any RequestBodyReader)?
    private var bodyBytesRead: Int64 = 0
    private var bodyFailed = false
    var refusedAddress = false
    private var requestWasSent = false

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

    /// The easy handle, while there is one.
    var handle: UnsafeMutableRawPointer? { unsafe easy?.pointer }

    var hasEnded: Bool { state.withLock { $0.ending != nil } }

    /// Whether it ended because of the server's certificate: nobody who is trusted has signed it, it has expired, or
    /// it is another's.
    var isUntrusted: Bool { state.withLock { $0.isUntrusted } }
}

// MARK: - The asking task

extension CurlTransfer {
    /// Starts the transfer and waits for the response's head.
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

    /// Waits for bytes of the body; `resume` is called when the transfer was held back.
    func chunk(resume: () -> Void) async -> Chunk {
        await withCheckedContinuation { continuation in
            let (ready, wasHeldBack): (Chunk?, Bool) = state.withLock { state in
                if !state.buffer.isEmpty {
                    let bytes = state.buffer
                    state.buffer = []
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

    /// Ends the body for its reader at once and drops what has arrived; false where it had ended before.
    func abandon() -> Bool {
        let error = TransportError(.cancelled, requestWasSent: true, url: request.url.withoutQuery)
        let (wasOpen, waiter): (Bool, CheckedContinuation<Chunk, Never>?) = state.withLock { state in
            state.buffer = []
            guard state.ending == nil else { return (false, nil) }
            defer { state.chunkWaiter = nil }
            state.ending = .failed(error)
            return (true, state.chunkWaiter)
        }
        waiter?.resume(returning: .failure(error))
        return wasOpen
    }
}

// MARK: - The curl thread

extension CurlTransfer {
    /// Makes the easy handle; false where libcurl refuses an option.
    func prepare() -> Bool {
        guard !hasEnded, let easy = CurlEasyHandle(for: self) else { return false }
        self.easy = easy
        return true
    }

    /// Remembers whether any byte of the request left, which only the live handle can tell.
    func noteWhatWasSent() {
        requestWasSent = requestWasSent || easy?.hasSentBytes == true
    }

    /// Puts the next bytes of a streamed body into `room`: how many, 0 at its end; nil where it can't be read or breaks
    /// its word.
    ///
    /// A source that turned out shorter would leave the server waiting, one that turned out longer would run
    /// into the next request of the connection: libcurl checks neither.
    func readBody(into room: inout MutableRawSpan) -> Int? {
        guard case .stream(let source) = request.body else { return nil }
        let left = source.length.map { $0 - bodyBytesRead }
        if left == 0 { return 0 }
        do {
            var reader = try bodyReader ?? source.open()
            let most = left.map { min(Int(clamping: $0), room.byteCount) } ?? room.byteCount
            let count = try reader.read(upTo: most, into: &room)
            bodyReader = reader
            bodyBytesRead += Int64(count)
            bodyFailed = count == 0 && left != nil
            return bodyFailed ? nil : count
        } catch {
            bodyFailed = true
            return nil
        }
    }

    /// Lets the next read start at the beginning.
    func rewindBody() {
        bodyReader = nil
        bodyBytesRead = 0
    }

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
            guard state.buffer.count < Self.mostBuffered else {
                state.isHeldBack = true
                return (false, nil)
            }
            if let waiter = state.chunkWaiter {
                state.chunkWaiter = nil
                return (true, waiter)
            }
            unsafe state.buffer.append(contentsOf: bytes)
            return (true, nil)
        }
        if let waiter { unsafe waiter.resume(returning: .success(Array(bytes))) }
        return accepted
    }

    /// Ends the exchange with libcurl's result, or nil for a cancellation, and lets go of the handle.
    func finish(_ result: CURLcode?) {
        let ending: Ending
        switch result {
        case CURLE_OK where responseHead.isComplete: ending = .complete
        case CURLE_OK: ending = .failed(error(.connectionLost, detail: "no response head"))
        case nil: ending = .failed(error(.cancelled))
        case let code?: ending = .failed(error(code: code))
        }
        easy = nil
        bodyReader = nil
        let (head, chunk) = state.withLock { state in
            defer { (state.headWaiter, state.chunkWaiter) = (nil, nil) }
            if state.ending == nil {
                state.ending = ending
                state.isUntrusted = result == CURLE_PEER_FAILED_VERIFICATION
            }
            return (state.headWaiter, state.chunkWaiter)
        }
        switch ending {
        case .complete: chunk?.resume(returning: .success(nil))
        case .failed(let error):
            head?.resume(returning: .failure(error))
            chunk?.resume(returning: .failure(error))
        }
    }

    private func error(code: CURLcode) -> TransportError {
        // Another address of the same name may have been acceptable: then the failure is about that one.
        if refusedAddress, code == CURLE_COULDNT_CONNECT { return error(.refused(.privateAddress)) }
        if bodyFailed { return error(.bodyUnreadable) }
        return error(TransportError.Code(code), detail: easy?.errorText(for: code))
    }

    private func error(_ code: TransportError.Code, detail: String? = nil) -> TransportError {
        TransportError(
            code, requestWasSent: requestWasSent, url: request.url.withoutQuery, detail: detail)
    }
}

extension TransportError.Code {
    /// What a result of libcurl means here.
    init(_ code: CURLcode) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .nameNotResolved
        case CURLE_COULDNT_CONNECT: self = .notConnected
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS:
            self = .untrusted
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
            CURLE_SSL_ENGINE_NOTFOUND:
            self = .handshakeFailed
        case CURLE_FAILED_INIT, CURLE_OUT_OF_MEMORY, CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN,
            CURLE_UNKNOWN_OPTION:
            self = .unavailable
        // CURLE_UNSUPPORTED_PROTOCOL too: of URLs that pass the policy, it means an answer without a head.
        default: self = .connectionLost
        }
    }
}
