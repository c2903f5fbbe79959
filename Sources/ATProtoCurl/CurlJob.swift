internal import ATPNetworking
internal import CATPCurl

/// The curl thread's part of an exchange: the easy handle and what libcurl's callbacks change.
///
/// It is not `Sendable`, so the compiler keeps it on the curl thread.
final class CurlJob {
    let exchange: CurlExchange
    let easy: CurlEasyHandle
    var responseHead = ResponseHeadParser()
    /// The last address that the policy refused.
    var refusedAddress: [UInt8]?
    private var bodyReader: (any RequestBodyReader)?
    private var bodyBytesRead: Int64 = 0
    private var bodyFailed = false
    private var requestWasSent = false
    /// Whether the next bytes of the request body have not arrived yet.
    private var awaitsBody = false
    private var movedBytes: Int64 = 0
    private var lastMove = ContinuousClock.now
    /// Continues the exchange when more of its request body has arrived. Any thread may call it.
    private let wake: @Sendable () -> Void

    init(_ exchange: CurlExchange, wake: @escaping @Sendable () -> Void) throws(CurlRefusal) {
        easy = try CurlEasyHandle(for: exchange)
        self.exchange = exchange
        self.wake = wake
        try easy.setCallbacks(for: self)
    }

    /// Notes whether any byte of the request was sent. Only a handle in use can tell.
    func noteWhatWasSent() {
        requestWasSent = requestWasSent || easy.hasSentBytes
    }

    enum BodyRead {
        /// This many bytes; 0 at the end.
        case bytes(Int)
        /// The next bytes have not arrived yet.
        case later
        /// The body can't be read, or is shorter than announced.
        case failed
    }

    /// Puts the next bytes of a streamed body into `room`.
    ///
    /// A source that turned out shorter would leave the server waiting. One that turned out longer would run into the
    /// next request of the connection. libcurl checks neither.
    func readBody(into room: inout MutableRawSpan) -> BodyRead {
        guard case .stream(let source) = exchange.request.body else { return .failed }
        let left = source.length.map { $0 - bodyBytesRead }
        if left == 0 { return .bytes(0) }
        do {
            var reader = try bodyReader ?? source.open(wake: wake)
            let most = left.map { min(Int(clamping: $0), room.byteCount) } ?? room.byteCount
            let read = try reader.read(upTo: most, into: &room)
            bodyReader = reader
            awaitsBody = read == nil
            guard let count = read else { return .later }
            bodyBytesRead += Int64(count)
            bodyFailed = count == 0 && left != nil
            return bodyFailed ? .failed : .bytes(count)
        } catch {
            bodyFailed = true
            return .failed
        }
    }

    /// Starts the body over with the next read.
    func rewindBody() {
        bodyReader = nil
        bodyBytesRead = 0
    }

    /// Whether the server has let its time pass without a byte. libcurl's own limit (CURLOPT_LOW_SPEED_TIME) would also count
    /// the time in which it has nothing to send yet.
    func isIdle(at now: ContinuousClock.Instant) -> Bool {
        guard let longest = exchange.request.timeouts.idle else { return false }
        let moved = easy.movedBytes
        if moved != movedBytes || awaitsBody || exchange.isHeldBack { (movedBytes, lastMove) = (moved, now) }
        return lastMove.duration(to: now) >= longest
    }

    /// Whether the moment has passed at which the request must have begun to go out.
    var isTooLate: Bool { exchange.request.sentBy.map { $0 <= .now } ?? false }

    /// Ends the exchange of an idle server.
    func timeOut() {
        exchange.end(.failed(error(.timedOut, detail: "the server sent nothing and took nothing")))
    }

    /// Ends the exchange with libcurl's result.
    func finish(_ result: CURLcode) {
        exchange.end(ending(of: result), isUntrusted: result == CURLE_PEER_FAILED_VERIFICATION)
    }

    func cancel() {
        exchange.end(.failed(error(.cancelled)))
    }

    private func ending(of result: CURLcode) -> CurlExchange.Ending {
        guard result == CURLE_OK else { return .failed(error(code: result)) }
        return responseHead.isComplete
            ? .complete : .failed(error(.connectionLost, detail: "no response head"))
    }

    private func error(code: CURLcode) -> TransportError {
        // A refused address is the reason only if no other address of the name could be connected to.
        if let address = refusedAddress, code == CURLE_COULDNT_CONNECT {
            let text = address.count == 4 ? address.map { "\($0)" }.joined(separator: ".") : nil
            return error(.refused(.privateAddress), detail: text)
        }
        if bodyFailed { return error(.bodyUnreadable) }
        // beforeRequest is the only callback that aborts without bytes of the request on their way.
        if code == CURLE_ABORTED_BY_CALLBACK, isTooLate {
            return error(.timedOut, detail: "it was too late to send")
        }
        return error(TransportError.Code(code), detail: easy.errorText(for: code))
    }

    private func error(_ code: TransportError.Code, detail: String? = nil) -> TransportError {
        exchange.error(code, requestWasSent: requestWasSent, detail: detail)
    }
}

extension TransportError.Code {
    /// The meaning of libcurl's result.
    init(_ code: CURLcode) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: self = .nameNotResolved
        // A proxy that is not found says nothing about the host.
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_PROXY: self = .notConnected
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS:
            self = .untrusted
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
            CURLE_SSL_ENGINE_NOTFOUND:
            self = .handshakeFailed
        // CURLE_SSL_CERTPROBLEM is about the files of a client certificate.
        case CURLE_FAILED_INIT, CURLE_OUT_OF_MEMORY, CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN,
            CURLE_UNKNOWN_OPTION, CURLE_SSL_CERTPROBLEM:
            self = .unavailable
        // CURLE_UNSUPPORTED_PROTOCOL too: for a URL that the policy allows, it means an answer without a head.
        default: self = .connectionLost
        }
    }
}
