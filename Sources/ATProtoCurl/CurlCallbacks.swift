internal import ATPNetworking
internal import CATPCurl
internal import Glibc

/// The functions that libcurl calls on the curl thread. `user` points to the ``CurlJob``.
enum CurlCallbacks {
    /// Bytes of the response body.
    static let write: bskyauth_curl_data_callback = { data, size, count, user in
        guard let data = unsafe data, let job = unsafe job(user) else { return 0 }
        let bytes = unsafe UnsafeRawBufferPointer(start: data, count: size * count)
        return unsafe job.exchange.deliver(bytes) ? size * count : Int(CURL_WRITEFUNC_PAUSE)
    }

    /// One line of the response head.
    static let header: bskyauth_curl_data_callback = { data, size, count, user in
        guard let data = unsafe data, let job = unsafe job(user) else { return 0 }
        let bytes = unsafe UnsafeRawBufferPointer(start: data, count: size * count)
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        switch job.responseHead.take(line) {
        case .more: break
        case .complete(let status, let fields): job.exchange.deliverHead(status: status, fields: fields)
        case .tooLarge: return 0
        }
        return size * count
    }

    /// Fills libcurl's buffer with bytes of the request body.
    static let read: bskyauth_curl_data_callback = { data, size, count, user in
        let abort = Int(CURL_READFUNC_ABORT)
        guard let data = unsafe data, let job = unsafe job(user) else { return abort }
        var room = unsafe UnsafeMutableRawBufferPointer(start: data, count: size * count).mutableBytes
        return switch job.readBody(into: &room) {
        case .bytes(let count): count
        case .later: Int(CURL_READFUNC_PAUSE)
        case .failed: abort
        }
    }

    /// Starts the request body over. libcurl never seeks to another place than the beginning.
    static let seek: bskyauth_curl_seek_callback = { user, offset, origin in
        guard let job = unsafe job(user), offset == 0, origin == SEEK_SET else {
            return Int32(CURL_SEEKFUNC_CANTSEEK)
        }
        job.rewindBody()
        return Int32(CURL_SEEKFUNC_OK)
    }

    /// Opens a socket. The address is known and nothing has been sent: private addresses are refused here.
    static let openSocket: bskyauth_curl_opensocket_callback = { user, _, address in
        guard let job = unsafe job(user), let address = unsafe address else { return -1 }
        // The user chose the proxy, so it may have a private address.
        if job.exchange.proxy == nil {
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = unsafe Int(bskyauth_curl_address_bytes(address, &bytes))
            let address = Array(bytes.prefix(count))
            guard job.exchange.policy.allows(address: address) else {
                job.refusedAddress = address
                return -1
            }
        }
        return unsafe bskyauth_curl_open_socket(address)
    }

    /// Is called when the connection stands and nothing of the request has gone out.
    static let beforeRequest: bskyauth_curl_prereq_callback = { user, _, _, _, _ in
        guard let job = unsafe job(user), !job.isTooLate else { return Int32(CURL_PREREQFUNC_ABORT) }
        return Int32(CURL_PREREQFUNC_OK)
    }

    private static func job(_ user: UnsafeMutableRawPointer?) -> CurlJob? {
        guard let user = unsafe user else { return nil }
        return unsafe Unmanaged<CurlJob>.fromOpaque(user).takeUnretainedValue()
    }
}
