internal import Glibc

/// An open file. It is closed with this value.
struct OpenFile: ~Copyable, Sendable {
    let descriptor: Int32
    let path: String

    /// Takes over a descriptor that was opened elsewhere.
    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a file. It never follows a symbolic link, and child processes never inherit it.
    init(_ path: String, flags: Int32, mode: UInt32 = 0) throws(SystemError) {
        descriptor = try SystemError.retrying("open", path) {
            unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode_t(mode))
        }
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// The type, owner, mode and size of the file.
    func status() throws(SystemError) -> stat {
        var status = stat()
        try SystemError.retrying("fstat", path) { unsafe fstat(descriptor, &status) }
        return status
    }

    /// Reads a whole regular file.
    ///
    /// - Parameter size: the size the file probably has.
    /// - Returns: nil if the file has more than `limit` bytes.
    func read(limit: Int, expecting size: Int) throws(SystemError) -> [UInt8]? {
        let likely = min(max(size, 0), limit, 1 << 16)
        var bytes: [UInt8] = []
        // An array that grows leaves copies of its bytes in freed memory, and these may be a key.
        bytes.reserveCapacity(likely)
        var chunk = [UInt8](repeating: 0, count: likely + 1)
        defer { unsafe explicit_bzero(&chunk, chunk.count) }
        while true {
            let count = try SystemError.retrying("read", path) {
                unsafe pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
            }
            guard bytes.count + count <= limit else { return nil }
            bytes.append(contentsOf: chunk[..<count])
            // A regular file returns fewer bytes than asked for only at its end.
            if count < chunk.count { return bytes }
        }
    }

    /// Replaces the content of the file. The bytes are durable only after ``sync()``.
    func overwrite(_ bytes: [UInt8]) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = try SystemError.retrying("write", path) {
                unsafe bytes.withUnsafeBytes { bytes in
                    unsafe pwrite(
                        descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(done))
                }
            }
            // Without this check, a write that returns 0 would be repeated for ever.
            guard count > 0 else { throw SystemError(errno: ENOSPC, operation: "write", path: path) }
            done += count
        }
        guard try status().st_size != off_t(bytes.count) else { return }
        try SystemError.retrying("ftruncate", path) { ftruncate(descriptor, off_t(bytes.count)) }
    }

    /// Sets the mode, which may differ from what the file was created with because of the umask.
    func setMode(_ mode: UInt32) throws(SystemError) {
        guard try status().st_mode & 0o7777 != mode_t(mode) else { return }
        try SystemError.retrying("fchmod", path) { fchmod(descriptor, mode_t(mode)) }
    }

    /// Sets the owner and the group.
    func setOwner(_ user: uid_t, _ group: gid_t) throws(SystemError) {
        let present = try status()
        guard present.st_uid != user || present.st_gid != group else { return }
        try SystemError.retrying("fchown", path) { fchown(descriptor, user, group) }
    }

    /// The same open file with another descriptor.
    func duplicate() throws(SystemError) -> OpenFile {
        OpenFile(
            descriptor: try SystemError.retrying("dup", path) { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) },
            path: path)
    }

    /// Writes the content from its beginning to another file.
    func copy(to other: borrowing OpenFile) throws(SystemError) {
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        var done: off_t = 0
        while true {
            let count = try SystemError.retrying("read", path) {
                unsafe pread(descriptor, &chunk, chunk.count, done)
            }
            if count == 0 { return }
            try FileDescriptor.writeAll(Array(chunk[..<count]), to: other.descriptor, path: other.path)
            done += off_t(count)
        }
    }

    /// Makes the written bytes survive a power loss.
    func sync() throws(SystemError) {
        try SystemError.retrying("fsync", path) { fsync(descriptor) }
    }
}
