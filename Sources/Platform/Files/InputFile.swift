internal import Glibc

/// Files that the user names for reading: anything that can be opened, pipes and /dev/stdin among them.
package enum InputFile {
    /// Reads at most `limit` bytes from the beginning.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        return try read(descriptor, limit: limit, path)
    }

    /// Reads at most `limit` bytes from where a file or pipe stands.
    static func read(_ descriptor: Int32, limit: Int, _ path: String) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        // So that what is read is in one place only: it may be a passphrase. What is longer than that is none.
        bytes.reserveCapacity(min(limit, 1 << 17))
        var chunk = [UInt8](repeating: 0, count: min(limit, 1 << 14))
        defer { unsafe explicit_bzero(&chunk, chunk.count) }
        while bytes.count < limit {
            let most = min(chunk.count, limit - bytes.count)
            let count = try SystemError.retrying("read", path) {
                unsafe Glibc.read(descriptor, &chunk, most)
            }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }

    static func open(_ path: String) throws(SystemError) -> Int32 {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(errno: errno, operation: "open", path: path) }
        return descriptor
    }

    /// The next bytes; nil at the end.
    static func read(_ descriptor: Int32, upTo count: Int, _ path: String) throws(SystemError) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let got = unsafe Glibc.read(descriptor, &buffer, count)
            if got > 0 { return Array(buffer.prefix(got)) }
            if got == 0 { return nil }
            guard errno == EINTR else { throw SystemError(errno: errno, operation: "read", path: path) }
        }
    }
}
