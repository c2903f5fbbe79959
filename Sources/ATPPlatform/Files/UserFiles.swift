internal import Glibc

/// A file that the user names for reading. It may be a pipe or /dev/stdin.
package enum InputFile {
    /// Reads at most `limit` bytes from the beginning.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        return try read(descriptor, limit: limit, path)
    }

    /// Reads at most `limit` bytes from standard input.
    package static func readStandardInput(limit: Int) throws(SystemError) -> [UInt8] {
        try read(0, limit: limit, "standard input")
    }

    /// Reads at most `limit` bytes from the position of an open file or from a pipe.
    static func read(_ descriptor: Int32, limit: Int, _ path: String) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        // An array that grows leaves copies of its bytes in freed memory. No passphrase is longer than this.
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

    /// Whether the mode of a regular file lets other users read it. Files below /run and /proc don't count: there, systems
    /// put secrets for one user or one container.
    package static func isReadableByOthers(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 0,
            status.st_mode & (S_IRGRP | S_IROTH) != 0, let whole = FileSystem.destination(of: path)
        else { return false }
        return !whole.hasPrefix("/run/") && !whole.hasPrefix("/proc/")
    }

    static func open(_ path: String) throws(SystemError) -> Int32 {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(errno: errno, operation: "open", path: path) }
        return descriptor
    }

    /// Reads the next bytes; nil at the end.
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

enum FileDescriptor {
    /// Writes all bytes, also to a terminal or pipe that is slow.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(
                    descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    // Another program made the terminal or pipe non-blocking. Wait until it takes more.
                    var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = unsafe Glibc.poll(&poll, 1, -1)
                    continue
                }
                throw SystemError(errno: errno, operation: "write", path: path)
            }
            written += count
        }
    }
}
