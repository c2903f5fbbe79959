internal import ATPNetworking
internal import CATPCurl
internal import Glibc
internal import HTTPTypes

/// An easy handle with the options of one exchange. It owns the header list and the error buffer.
@safe final class CurlEasyHandle {
    let pointer: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    private let errorBuffer: UnsafeMutablePointer<CChar>

    /// Sets all options but the callbacks.
    init(for exchange: CurlExchange) throws(CurlRefusal) {
        guard let pointer = unsafe curl_easy_init() else { throw .handle }
        unsafe self.pointer = pointer
        unsafe errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try setTarget(exchange)
        try setClientCertificate(exchange.request)
        try setConnection(exchange.request)
        try setBody(exchange.request)
        try setHeaders(exchange.request)
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

    private func setTarget(_ exchange: CurlExchange) throws(CurlRefusal) {
        let isDev = exchange.policy.devNetwork != nil
        let request = exchange.request
        try set(CURLOPT_URL, request.url.description)
        try set(CURLOPT_PROTOCOLS_STR, isDev ? "http,https" : "https")
        try set(CURLOPT_PATH_AS_IS, 1)
        try set(CURLOPT_FOLLOWLOCATION, 0)
        if request.body.isLong {
            // A server may answer before it has read such a body and end the HTTP/2 stream (RFC 9113 §8.1). libcurl 7.88 then
            // often loses the answer, and newer versions lost it too (github.com/curl/curl/issues/22984).
            try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        } else {
            // A libcurl without HTTP/2 refuses this, and uses HTTP/1.1. No other option may be left out.
            _ = unsafe bskyauth_curl_set_long(pointer, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        }
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Always set, so that libcurl reads no environment variable by itself.
        try set(CURLOPT_PROXY, exchange.proxy ?? "")
        try set(CURLOPT_NOPROXY, "")
        try set(CURLOPT_USERAGENT, exchange.configuration.userAgent)
        try setTrust(CURLOPT_CAINFO, exchange.trust.file, unless: TrustStores.Store.system.file)
        try setTrust(CURLOPT_CAPATH, exchange.trust.directory, unless: TrustStores.Store.system.directory)
    }

    /// Sets an option only if it differs from libcurl's default: not every TLS library knows it.
    private func setTrust(
        _ option: CURLoption, _ path: String?, unless builtIn: String?
    ) throws(CurlRefusal) {
        if path == builtIn { return }
        if let path { return try set(option, path) }
        try require(option, unsafe bskyauth_curl_set_pointer(pointer, option, nil))
    }

    /// libcurl uses a connection again only for requests with the same certificate.
    private func setClientCertificate(_ request: TransportRequest) throws(CurlRefusal) {
        guard let certificate = request.clientCertificate else { return }
        try set(CURLOPT_SSLCERT, certificate.file)
        try set(CURLOPT_SSLKEY, certificate.keyFile)
    }

    private func setConnection(_ request: TransportRequest) throws(CurlRefusal) {
        let timeouts = request.timeouts
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_CONNECTTIMEOUT_MS, timeouts.connect.milliseconds)
        // Large bodies take fewer receive calls than with libcurl's 16 KB. A much larger buffer costs the allocator more
        // for each request. CurlExchange joins what the calls bring into pieces.
        try set(CURLOPT_BUFFERSIZE, 32 * 1024)
        if let total = timeouts.total { try set(CURLOPT_TIMEOUT_MS, total.milliseconds) }
        if request.needsFreshConnection { try set(CURLOPT_FRESH_CONNECT, 1) }
    }

    private func setBody(_ request: TransportRequest) throws(CurlRefusal) {
        let method = request.method
        guard method != .get else { return try set(CURLOPT_HTTPGET, 1) }
        if method == .head { return try set(CURLOPT_NOBODY, 1) }
        try set(CURLOPT_POST, 1)
        if method != .post { try set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
        switch request.body {
        case .none:
            try setOffset(CURLOPT_POSTFIELDSIZE_LARGE, 0)
            try set(CURLOPT_COPYPOSTFIELDS, "")
        case .bytes(let bytes):
            try setOffset(CURLOPT_POSTFIELDSIZE_LARGE, Int64(bytes.count))
            let result = unsafe bytes.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress else {
                    return unsafe bskyauth_curl_set_string(pointer, CURLOPT_COPYPOSTFIELDS, "")
                }
                return unsafe bskyauth_curl_set_pointer(
                    pointer, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: base))
            }
            try require(CURLOPT_COPYPOSTFIELDS, result)
        case .stream(let source):
            try setOffset(CURLOPT_POSTFIELDSIZE_LARGE, source.length ?? -1)
            // Files are read in pieces of this size, which takes less CPU than libcurl's default.
            try set(CURLOPT_UPLOAD_BUFFERSIZE, 128 * 1024)
        }
    }

    /// Fields that only the transport may write. Framing fields that contradict each other allow request smuggling.
    private static let own: Set<HTTPField.Name?> = [
        HTTPField.Name("Host"), .contentLength, .transferEncoding, .connection, .expect,
    ]

    private func setHeaders(_ request: TransportRequest) throws(CurlRefusal) {
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
            guard let list = unsafe curl_slist_append(headers, line) else { throw .handle }
            unsafe headers = list
        }
        try require(CURLOPT_HTTPHEADER, unsafe bskyauth_curl_set_list(pointer, CURLOPT_HTTPHEADER, headers))
    }

    /// Sets the callbacks, which find their job by a pointer.
    ///
    /// - Parameter job: the owner of this handle, which outlives every call of libcurl on it.
    func setCallbacks(for job: CurlJob) throws(CurlRefusal) {
        let reference = unsafe Unmanaged.passUnretained(job).toOpaque()
        try unsafe setPointer(CURLOPT_ERRORBUFFER, errorBuffer)
        for option in [
            CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_OPENSOCKETDATA,
        ] {
            try unsafe setPointer(option, reference)
        }
        try unsafe setCallback(CURLOPT_WRITEFUNCTION, CurlCallbacks.write)
        try unsafe setCallback(CURLOPT_HEADERFUNCTION, CurlCallbacks.header)
        try unsafe setCallback(CURLOPT_READFUNCTION, CurlCallbacks.read)
        try require(
            CURLOPT_SEEKFUNCTION, unsafe bskyauth_curl_set_seek_callback(pointer, CurlCallbacks.seek))
        try require(
            CURLOPT_OPENSOCKETFUNCTION,
            unsafe bskyauth_curl_set_opensocket_callback(pointer, CurlCallbacks.openSocket))
        guard job.exchange.request.sentBy != nil else { return }
        try unsafe setPointer(CURLOPT_PREREQDATA, reference)
        try require(
            CURLOPT_PREREQFUNCTION,
            unsafe bskyauth_curl_set_prereq_callback(pointer, CurlCallbacks.beforeRequest))
    }

    private func set(_ option: CURLoption, _ value: Int) throws(CurlRefusal) {
        try require(option, unsafe bskyauth_curl_set_long(pointer, option, value))
    }

    private func setOffset(_ option: CURLoption, _ value: Int64) throws(CurlRefusal) {
        try require(option, unsafe bskyauth_curl_set_offset(pointer, option, curl_off_t(value)))
    }

    private func set(_ option: CURLoption, _ value: String) throws(CurlRefusal) {
        try require(option, unsafe bskyauth_curl_set_string(pointer, option, value))
    }

    private func setPointer(
        _ option: CURLoption, _ value: UnsafeMutableRawPointer
    ) throws(CurlRefusal) {
        try require(option, unsafe bskyauth_curl_set_pointer(pointer, option, value))
    }

    private func setCallback(
        _ option: CURLoption, _ callback: bskyauth_curl_data_callback
    ) throws(CurlRefusal) {
        try require(option, unsafe bskyauth_curl_set_data_callback(pointer, option, callback))
    }

    private func require(_ option: CURLoption, _ result: CURLcode) throws(CurlRefusal) {
        guard result == CURLE_OK else { throw .option(option) }
    }
}

/// Why libcurl can't make a request. Without one of its options, a rule of this transport would not hold.
enum CurlRefusal: Error {
    /// libcurl has no memory for another request.
    case handle
    /// libcurl does not know the option, or refuses its value.
    case option(CURLoption)

    /// A phrase about libcurl, for messages.
    var reason: String {
        switch self {
        case .handle: return "it has no memory left"
        case .option(let option):
            let name = unsafe curl_easy_option_by_id(option).map { unsafe String(cString: $0.pointee.name) }
            return "it refuses CURLOPT_\(name ?? String(option.rawValue))"
        }
    }
}

extension Duration {
    /// Whole milliseconds, at least one for anything positive.
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = components
        return max(Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000), self > .zero ? 1 : 0)
    }
}
