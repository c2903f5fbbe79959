internal import Glibc

/// A request body that can be read from its beginning any number of times.
///
/// A regular file is read in place. Descriptors and pipes are copied first: small ones into memory, larger ones into
/// a nameless file that only this process can open.
package final class Spool: Sendable {
    private enum Content: Sendable {
        case memory([UInt8])
        /// A descriptor that the spool owns. Readers name the position, so they do not disturb each other.
        case file(descriptor: Int32, path: String)
    }

    private let content: Content
    package let length: Int64

    private static let mostInMemory = 1 << 20

    /// - Parameter path: as for ``InputFile``.
    package init(_ path: String) throws(SystemError) {
        let source = try InputFile.open(path)
        if source.isOwn, let size = try Self.regularSize(source.descriptor, path) {
            content = .file(descriptor: source.descriptor, path: path)
            length = size
            return
        }
        defer { source.close() }
        (content, length) = try Self.keep(source.descriptor, path)
    }

    deinit {
        if case .file(let descriptor, _) = content { close(descriptor) }
    }

    /// The first bytes, at most `count`.
    package func beginning(_ count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        var room = unsafe span.mutableBytes
        let got = try read(at: 0, upTo: count, into: &room)
        return Array(bytes.prefix(got))
    }

    /// Reads at most `count` bytes at a position into the beginning of `room`.
    ///
    /// - Returns: the number of bytes; 0 at the end.
    package func read(
        at position: Int64, upTo count: Int, into room: inout MutableRawSpan
    ) throws(SystemError) -> Int {
        let wanted = min(count, room.byteCount, Int(clamping: length - position))
        guard wanted > 0 else { return 0 }
        switch content {
        case .memory(let bytes):
            let start = Int(position)
            unsafe room.withUnsafeMutableBytes { unsafe $0.copyBytes(from: bytes[start..<start + wanted]) }
            return wanted
        case .file(let descriptor, let path):
            while true {
                let got = unsafe room.withUnsafeMutableBytes {
                    unsafe pread(descriptor, $0.baseAddress, wanted, off_t(position))
                }
                if got > 0 { return got }
                // The file has become shorter than its announced length, so it can't be sent as announced.
                guard got < 0 else { throw SystemError(errno: EIO, operation: "read", path: path) }
                guard errno == EINTR else { throw SystemError(errno: errno, operation: "read", path: path) }
            }
        }
    }

    private static func regularSize(_ descriptor: Int32, _ path: String) throws(SystemError) -> Int64? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw SystemError(errno: errno, operation: "fstat", path: path)
        }
        return status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }

    private static func keep(_ descriptor: Int32, _ path: String) throws(SystemError) -> (Content, Int64) {
        var memory: [UInt8] = []
        while memory.count <= mostInMemory {
            guard let chunk = try InputFile.read(descriptor, upTo: 65536, path) else {
                return (.memory(memory), Int64(memory.count))
            }
            memory.append(contentsOf: chunk)
        }
        let file = try temporaryFile()
        var length = Int64(memory.count)
        do throws(SystemError) {
            try FileDescriptor.writeAll(memory, to: file, path: directory)
            while let chunk = try InputFile.read(descriptor, upTo: 1 << 18, path) {
                try FileDescriptor.writeAll(chunk, to: file, path: directory)
                length += Int64(chunk.count)
            }
        } catch {
            close(file)
            throw error
        }
        return (.file(descriptor: file, path: path), length)
    }

    /// The directory for temporary files.
    static var directory: String { unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp" }

    /// A new file without a name.
    static func temporaryFile() throws(SystemError) -> Int32 {
        let directory = directory
        var template = Array("\(directory)/bskyauth-XXXXXX".utf8CString)
        let descriptor = unsafe mkstemp(&template)
        guard descriptor >= 0 else { throw SystemError(errno: errno, operation: "mkstemp", path: directory) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = unsafe unlink(template)
        return descriptor
    }
}

extension SystemError {
    /// Whether a ``Spool`` could not keep its copy. The path is then the directory for temporary files.
    package var isOfCopy: Bool { operation == "mkstemp" || operation == "write" }
}
