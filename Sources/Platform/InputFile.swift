internal import Glibc

/// Files that the user names for reading: anything that can be opened, pipes and /dev/stdin among them.
package enum InputFile {
    /// Reads at most `limit` bytes from the beginning.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count < limit,
            let chunk = try read(descriptor, upTo: min(65536, limit - bytes.count), path)
        {
            bytes.append(contentsOf: chunk)
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
