internal import ATPNetworking
internal import CATPCurl
internal import Glibc
internal import HTTPTypes

/// An easy handle with the options of one exchange. It owns the header list and the error buffer.
@safe final class CurlEasyHandle {
    let pointer: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    private let errorBuffer: UnsafeMutablePointer<CChar>

    /// Sets all options but the callbacks; nil if libcurl refuses one.
    init?(for exchange: CurlExchange) {
        guard let pointer = unsafe curl_easy_init() else { return nil }
        unsafe self.pointer = pointer
        unsafe errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        guard setTarget(exchange), setClientCertificate(exchange.request),
            setConnection(exchange.request), setBody(exchange.request), setHeaders(exchange.request)
        else { return nil }
    }

    deinit {
        unsafe curl_easy_cleanup(pointer)
        unsafe curl_slist_free_all(headers)
        unsafe errorBuffer.deallocate()
    }

    /// Whether any byte of the request was sent.
    var hasSentBytes: Bool {
        var size = 0
        return unsafe bskyauth_curl_get_long(pointer, CURLINFO_REQUEST_SIZE, &size) == CURLE_OK && size > 0
    }

    /// How many bytes of both bodies were sent and received.
    var movedBytes: Int64 {
        var (sent, received): (curl_off_t, curl_off_t) = (0, 0)
        guard unsafe bskyauth_curl_get_offset(pointer, CURLINFO_SIZE_UPLOAD_T, &sent) == CURLE_OK,
            unsafe bskyauth_curl_get_offset(pointer, CURLINFO_SIZE_DOWNLOAD_T, &received) == CURLE_OK
        else { return 0 }
        return Int64(sent) + Int64(received)
    }

    /// libcurl's description of a failure.
    func errorText(for code: CURLcode) -> String {
        let own = unsafe String(cString: errorBuffer)
        guard own.isEmpty else { return own }
        return unsafe String(cString: curl_easy_strerror(code))
    }

    private func setTarget(_ exchange: CurlExchange) -> Bool {
        let isDev = exchange.policy.devNetwork != nil
        let request = exchange.request
        return set(CURLOPT_URL, request.url.description)
            && set(CURLOPT_PROTOCOLS_STR, isDev ? "http,https" : "https")
            && set(CURLOPT_PATH_AS_IS, 1) && set(CURLOPT_FOLLOWLOCATION, 0)
            && set(CURLOPT_HTTP_VERSION, Int(version(for: request)))
            && set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
            // Always set, so that libcurl reads no environment variable by itself.
            && set(CURLOPT_PROXY, exchange.proxy ?? "") && set(CURLOPT_NOPROXY, "")
            && set(CURLOPT_USERAGENT, exchange.configuration.userAgent)
            && setTrust(CURLOPT_CAINFO, exchange.trust.file, unless: TrustStores.Store.system.file)
            && setTrust(CURLOPT_CAPATH, exchange.trust.directory, unless: TrustStores.Store.system.directory)
    }

    /// HTTP/1.1 for a long body. A server may answer before it has read such a body and end the HTTP/2 stream (RFC 9113 §8.1).
    /// libcurl 7.88 then often loses the answer, and newer versions lost it too (github.com/curl/curl/issues/22984).
    private func version(for request: TransportRequest) -> UInt32 {
        UInt32(request.body.isLong ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS)
    }

    /// Sets an option only if it differs from libcurl's default: not every TLS library knows it.
    private func setTrust(_ option: CURLoption, _ path: String?, unless builtIn: String?) -> Bool {
        if path == builtIn { return true }
        if let path { return set(option, path) }
        return unsafe bskyauth_curl_set_pointer(pointer, option, nil) == CURLE_OK
    }

    /// libcurl uses a connection again only for requests with the same certificate.
    private func setClientCertificate(_ request: TransportRequest) -> Bool {
        guard let certificate = request.clientCertificate else { return true }
        return set(CURLOPT_SSLCERT, certificate.file) && set(CURLOPT_SSLKEY, certificate.keyFile)
    }

    private func setConnection(_ request: TransportRequest) -> Bool {
        let timeouts = request.timeouts
        var done =
            set(CURLOPT_NOSIGNAL, 1)
            && set(CURLOPT_CONNECTTIMEOUT_MS, timeouts.connect.milliseconds)
            // Large bodies take fewer receive calls than with libcurl's 16 KB. A much larger buffer costs the allocator more
            // for each request. CurlExchange joins what the calls bring into pieces.
            && set(CURLOPT_BUFFERSIZE, 32 * 1024)
        if let total = timeouts.total { done = done && set(CURLOPT_TIMEOUT_MS, total.milliseconds) }
        if request.needsFreshConnection { done = done && set(CURLOPT_FRESH_CONNECT, 1) }
        return done
    }

    private func setBody(_ request: TransportRequest) -> Bool {
        let method = request.method
        guard method != .get else { return set(CURLOPT_HTTPGET, 1) }
        if method == .head { return set(CURLOPT_NOBODY, 1) }
        guard set(CURLOPT_POST, 1), method == .post || set(CURLOPT_CUSTOMREQUEST, method.rawValue) else {
            return false
        }
        switch request.body {
        case .none:
            return setOffset(CURLOPT_POSTFIELDSIZE_LARGE, 0) && set(CURLOPT_COPYPOSTFIELDS, "")
        case .bytes(let bytes):
            guard setOffset(CURLOPT_POSTFIELDSIZE_LARGE, Int64(bytes.count)) else { return false }
            return unsafe bytes.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress else { return set(CURLOPT_COPYPOSTFIELDS, "") }
                return unsafe bskyauth_curl_set_pointer(
                    pointer, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: base)) == CURLE_OK
            }
        case .stream(let source):
            // Files are read in pieces of this size, which takes less CPU than libcurl's default.
            return setOffset(CURLOPT_POSTFIELDSIZE_LARGE, source.length ?? -1)
                && set(CURLOPT_UPLOAD_BUFFERSIZE, 128 * 1024)
        }
    }

    /// Fields that only the transport may write. Framing fields that contradict each other allow request smuggling.
    private static let own: Set<HTTPField.Name?> = [
        HTTPField.Name("Host"), .contentLength, .transferEncoding, .connection, .expect,
    ]

    private func setHeaders(_ request: TransportRequest) -> Bool {
        var lines = request.headerFields.filter { !Self.own.contains($0.name) }.map { field in
            field.value.isEmpty
                ? "\(field.name.canonicalName);" : "\(field.name.canonicalName): \(field.value)"
        }
        if request.method != .get, request.method != .head {
            // Leaves out what libcurl adds: a form content type on every POST, and a wait for 100 Continue.
            if !request.headerFields.contains(.contentType) { lines.append("Content-Type:") }
            lines.append("Expect:")
            if request.body.length == nil { lines.append("Transfer-Encoding: chunked") }
        }
        // No line contains a line break: HTTPField allows none.
        for line in lines {
            guard let list = unsafe curl_slist_append(headers, line) else { return false }
            unsafe headers = list
        }
        return unsafe bskyauth_curl_set_list(pointer, CURLOPT_HTTPHEADER, headers) == CURLE_OK
    }

    /// Sets the callbacks, which find their job by a pointer; false if libcurl refuses.
    ///
    /// - Parameter job: the owner of this handle, which outlives every call of libcurl on it.
    func setCallbacks(for job: CurlJob) -> Bool {
        let reference = unsafe Unmanaged.passUnretained(job).toOpaque()
        return unsafe setPointer(CURLOPT_ERRORBUFFER, errorBuffer)
            && setPointer(CURLOPT_WRITEDATA, reference) && setPointer(CURLOPT_HEADERDATA, reference)
            && setPointer(CURLOPT_READDATA, reference) && setPointer(CURLOPT_SEEKDATA, reference)
            && setPointer(CURLOPT_OPENSOCKETDATA, reference)
            && bskyauth_curl_set_data_callback(pointer, CURLOPT_WRITEFUNCTION, CurlCallbacks.write)
                == CURLE_OK
            && bskyauth_curl_set_data_callback(pointer, CURLOPT_HEADERFUNCTION, CurlCallbacks.header)
                == CURLE_OK
            && bskyauth_curl_set_data_callback(pointer, CURLOPT_READFUNCTION, CurlCallbacks.read) == CURLE_OK
            && bskyauth_curl_set_seek_callback(pointer, CurlCallbacks.seek) == CURLE_OK
            && bskyauth_curl_set_opensocket_callback(pointer, CurlCallbacks.openSocket) == CURLE_OK
            && setDeadlineCallback(for: job, reference)
    }

    private func setDeadlineCallback(for job: CurlJob, _ reference: UnsafeMutableRawPointer) -> Bool {
        guard job.exchange.request.sentBy != nil else { return true }
        return unsafe setPointer(CURLOPT_PREREQDATA, reference)
            && bskyauth_curl_set_prereq_callback(pointer, CurlCallbacks.beforeRequest) == CURLE_OK
    }

    private func set(_ option: CURLoption, _ value: Int) -> Bool {
        unsafe bskyauth_curl_set_long(pointer, option, value) == CURLE_OK
    }

    private func setOffset(_ option: CURLoption, _ value: Int64) -> Bool {
        unsafe bskyauth_curl_set_offset(pointer, option, curl_off_t(value)) == CURLE_OK
    }

    private func set(_ option: CURLoption, _ value: String) -> Bool {
        unsafe bskyauth_curl_set_string(pointer, option, value) == CURLE_OK
    }

    private func setPointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer) -> Bool {
        unsafe bskyauth_curl_set_pointer(pointer, option, value) == CURLE_OK
    }
}

extension Duration {
    /// Whole milliseconds, at least one for anything positive.
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = components
        return max(Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000), self > .zero ? 1 : 0)
    }
}
