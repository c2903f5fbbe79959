internal import CCurl
internal import Glibc
internal import Networking

/// What libcurl calls on its thread. Each finds its transfer behind the pointer it was given.
enum CurlCallbacks {
    /// Bytes of the response body.
    static let write: bskyauth_curl_data_callback = { data, size, count, user in
        guard let data = unsafe data, let transfer = unsafe transfer(user) else { return 0 }
        let bytes = unsafe UnsafeRawBufferPointer(start: data, count: size * count)
        return unsafe transfer.deliver(bytes) ? size * count : Int(CURL_WRITEFUNC_PAUSE)
    }

    /// One line of the response head.
    static let header: bskyauth_curl_data_callback = { data, size, count, user in
        guard let data = unsafe data, let transfer = unsafe transfer(user) else { return 0 }
        let bytes = unsafe UnsafeRawBufferPointer(start: data, count: size * count)
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        switch transfer.responseHead.take(line) {
        case .more: break
        case .complete(let status, let fields): transfer.deliverHead(status: status, fields: fields)
        case .tooLarge: return 0
        }
        return size * count
    }

    /// Room for bytes of the request body.
    static let read: bskyauth_curl_data_callback = { data, size, count, user in
        let abort = Int(CURL_READFUNC_ABORT)
        guard let data = unsafe data, let transfer = unsafe transfer(user) else { return abort }
        var room = unsafe UnsafeMutableRawBufferPointer(start: data, count: size * count).mutableBytes
        return transfer.readBody(into: &room) ?? abort
    }

    /// Starts the request body over; libcurl never needs another place than the beginning.
    static let seek: bskyauth_curl_seek_callback = { user, offset, origin in
        guard let transfer = unsafe transfer(user), offset == 0, origin == SEEK_SET else {
            return Int32(CURL_SEEKFUNC_CANTSEEK)
        }
        transfer.rewindBody()
        return Int32(CURL_SEEKFUNC_OK)
    }

    /// The moment an address is known and nothing has been sent: where private ones are refused.
    static let openSocket: bskyauth_curl_opensocket_callback = { user, _, address in
        guard let transfer = unsafe transfer(user), let address = unsafe address else { return -1 }
        // A proxy is where the person who set it wants it to be.
        if transfer.proxy == nil {
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = unsafe Int(bskyauth_curl_address_bytes(address, &bytes))
            guard transfer.policy.allows(address: Array(bytes.prefix(count))) else {
                transfer.refusedAddress = true
                return -1
            }
        }
        return unsafe bskyauth_curl_open_socket(address)
    }

    private static func transfer(_ user: UnsafeMutableRawPointer?) -> CurlTransfer? {
        guard let user = unsafe user else { return nil }
        return unsafe Unmanaged<CurlTransfer>.fromOpaque(user).takeUnretainedValue()
    }
}
