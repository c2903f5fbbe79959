internal import Glibc
internal import Synchronization

/// A file that the user names for reading, or an open descriptor that the parent process has handed over.
///
/// `-`, `/dev/stdin`, `/dev/fd/N` and `/proc/self/fd/N` are the descriptor itself, at its offset. Opening such a name instead
/// would start at the beginning of a file, and fails for a socket, for a pipe of another user, and without /proc.
package enum InputFile {
    /// Reads at most `limit` bytes: from the beginning of a file, or from the offset of a descriptor.
    ///
    /// - Parameter isLine: whether to stop after the first line, so that a terminal or a pipe may stay open.
    package static func read(_ path: String, limit: Int, isLine: Bool = false) throws(SystemError) -> [UInt8]
    {
        let source = try open(path)
        defer { source.close() }
        return try read(source.descriptor, limit: limit, path, isLine: isLine)
    }

    /// Whether the path names a descriptor, so that there is no file to remove or to open again.
    package static func isDescriptor(_ path: String) -> Bool { descriptor(path) != nil }

    package static func isStandardInput(_ path: String) -> Bool { descriptor(path) == 0 }

    /// What a path is called in a message.
    package static func name(of path: String) -> String { isStandardInput(path) ? "standard input" : path }

    /// The descriptor that a path names; nil for a file.
    private static func descriptor(_ path: String) -> Int32? {
        if path == "-" || path == "/dev/stdin" { return 0 }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            guard let number = Int32(path.dropFirst(folder.count)), number >= 0,
                path == folder + String(number)
            else {
                continue
            }
            return number
        }
        return nil
    }

    /// The descriptors that were read. A second reader would get what the first one left.
    private static let taken = Mutex<Set<Int32>>([])

    /// Takes a descriptor that the parent process has handed over.
    ///
    /// - Throws: EBADF if it was not open when the program started. All that this program opens is closed on exec, and what
    ///   the program was started with is not.
    private static func take(_ descriptor: Int32, _ path: String) throws(SystemError) {
        let flags = fcntl(descriptor, F_GETFD)
        guard flags >= 0, flags & FD_CLOEXEC == 0 else {
            throw SystemError(errno: EBADF, operation: "read", path: path)
        }
        guard taken.withLock({ $0.insert(descriptor).inserted }) else { throw .secondReading(path) }
    }

    /// An open file, and whether it is closed after the reading.
    struct Source {
        let descriptor: Int32
        let isOwn: Bool

        func close() { if isOwn { Glibc.close(descriptor) } }
    }

    static func open(_ path: String) throws(SystemError) -> Source {
        if let descriptor = descriptor(path) {
            try take(descriptor, path)
            return Source(descriptor: descriptor, isOwn: false)
        }
        let descriptor = try SystemError.retrying("open", path) {
            unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        }
        return Source(descriptor: descriptor, isOwn: true)
    }

    /// Reads at most `limit` bytes from the position of an open file or from a pipe.
    static func read(
        _ descriptor: Int32, limit: Int, _ path: String, isLine: Bool = false
    ) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        // An array that grows leaves copies of its bytes in freed memory. No passphrase is longer than this.
        bytes.reserveCapacity(min(limit, 1 << 17))
        var chunk = [UInt8](repeating: 0, count: min(limit, 1 << 14))
        defer { unsafe explicit_bzero(&chunk, chunk.count) }
        while bytes.count < limit {
            let most = min(chunk.count, limit - bytes.count)
            let count = try some(descriptor, &chunk, most, path)
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
            if isLine, chunk[..<count].contains(0x0a) { break }
        }
        return bytes
    }

    /// Whether the mode of a regular file lets other users read it. Files that a system has mounted for this user don't
    /// count, and those below /run and /proc: there, systems put secrets for one user or one container.
    package static func isReadableByOthers(_ path: String) -> Bool {
        let path = descriptor(path).map { "/proc/self/fd/\($0)" } ?? path
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 0,
            status.st_mode & (S_IRGRP | S_IROTH) != 0, let whole = FileSystem.destination(of: path)
        else { return false }
        return !whole.hasPrefix("/run/") && !whole.hasPrefix("/proc/") && !SecretFile.isMounted(path)
    }

    /// Reads the next bytes; nil at the end.
    static func read(_ descriptor: Int32, upTo count: Int, _ path: String) throws(SystemError) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        let got = try some(descriptor, &buffer, count, path)
        return got > 0 ? Array(buffer.prefix(got)) : nil
    }

    /// Reads some bytes; 0 at the end.
    private static func some(
        _ descriptor: Int32, _ room: inout [UInt8], _ most: Int, _ path: String
    ) throws(SystemError) -> Int {
        while true {
            do {
                return try SystemError.retrying("read", path) { unsafe Glibc.read(descriptor, &room, most) }
            } catch {
                guard error.errno == EAGAIN else { throw error }
                // Another program made the terminal or pipe non-blocking. Wait for its next bytes.
                var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = unsafe Glibc.poll(&poll, 1, -1)
            }
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
