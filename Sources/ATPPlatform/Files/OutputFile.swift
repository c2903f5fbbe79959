internal import Glibc
internal import Synchronization

/// A file that the user names for writing. Its earlier content stays until all of the new content is there.
///
/// The new content goes to a hidden file beside the file, which takes its name at the end. If that is impossible, it goes to
/// a file elsewhere first, and is copied into the file at the end. A device, a pipe, a socket and an open descriptor such as
/// `/dev/stdout` are written at once.
package final class OutputFile: Sendable {
    /// Where the new content is until the end, or the file itself if it is written at once.
    private let content: OpenFile
    /// The hidden file, if there is one. It is removed with this object.
    private let hidden: Mutex<TemporaryFile?>
    /// The file without symbolic links; nil if it is written at once.
    private let target: String?
    /// Whether the file exists already.
    private let exists: Bool
    private let path: String

    /// Prepares the writing of a file. Its earlier content stays.
    package init(_ path: String) throws(SystemError) {
        self.path = path
        switch try Destination(path) {
        case .direct:
            content = OpenFile(descriptor: try Self.open(path, O_CREAT | O_TRUNC), path: path)
            hidden = Mutex(nil)
            (target, exists) = (nil, true)
        case .new(let target):
            (self.target, exists) = (target, false)
            let hidden = try Self.hidden(target, mode: 0o666)
            content = try hidden.content()
            self.hidden = Mutex(hidden)
        case .existing(let target, let status):
            (self.target, exists) = (target, true)
            do {
                let hidden = try Self.hidden(target, mode: 0o600)
                try hidden.takeOver(status)
                content = try hidden.content()
                self.hidden = Mutex(hidden)
            } catch {
                guard error.forbidsReplacing else { throw error.about(path) }
                content = OpenFile(descriptor: try Spool.temporaryFile(), path: path)
                hidden = Mutex(nil)
            }
        }
    }

    /// Checks whether the file can be written. The file stays as it is, and nothing else is left.
    package static func check(_ path: String) throws(SystemError) {
        // Opening a pipe waits for its reader.
        if case .direct = try Destination(path) { return try Destination.requireWritable(path) }
        _ = try OutputFile(path)
    }

    /// Whether the file is written at once, so that it keeps what came before a failure.
    package var isDirect: Bool { target == nil }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try FileDescriptor.writeAll(bytes, to: content.descriptor, path: path)
    }

    /// Gives the file its new content. Without it, the file keeps the earlier content.
    package func finish() throws(SystemError) {
        guard let target else { return }
        if let hidden = hidden.withLock({ $0.take() }) {
            // Without this, a power loss could leave an empty file.
            if exists { try content.sync() }
            do { return try hidden.replace(durably: false) } catch {
                guard error.forbidsReplacing else { throw error.about(path) }
            }
        }
        let output = OpenFile(descriptor: try Self.open(target, O_TRUNC), path: path)
        try content.copy(to: output)
    }

    private static func hidden(_ target: String, mode: UInt32) throws(SystemError) -> TemporaryFile {
        let directory = try OpenDirectory(FileSystem.directory(of: target))
        return try TemporaryFile(namelessFor: FileSystem.name(of: target), in: directory, mode: mode)
    }

    private static func open(_ path: String, _ flags: Int32) throws(SystemError) -> Int32 {
        try SystemError.retrying("open", path) {
            unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC | flags, 0o666)
        }
    }
}

/// What a path leads to.
private enum Destination {
    /// A device, a pipe, a socket, or an open descriptor of this process.
    case direct
    /// A name that is free, without symbolic links.
    case new(String)
    /// A regular file that this user may write, without symbolic links.
    case existing(String, stat)

    /// As many symbolic links as Linux follows.
    private static let mostLinks = 40

    init(_ path: String) throws(SystemError) {
        guard !path.hasSuffix("/") else { throw SystemError(errno: EISDIR, operation: "open", path: path) }
        var place = path
        for _ in 0...Self.mostLinks {
            let status: stat
            do { status = try FileSystem.status(place) } catch {
                guard error.errno == ENOENT else { throw error.about(path) }
                self = .new(place)
                return
            }
            switch status.st_mode & S_IFMT {
            case S_IFLNK:
                // The descriptors of a process, as /dev/stdout and /dev/fd/3.
                let directory = FileSystem.directory(of: place)
                if FileSystem.destination(of: directory)?.hasPrefix("/proc/") == true {
                    self = .direct
                    return
                }
                place = try FileSystem.linkTarget(place)
            case S_IFDIR: throw SystemError(errno: EISDIR, operation: "open", path: path)
            case S_IFREG:
                try Self.requireWritable(path)
                self = .existing(place, status)
                return
            default:
                self = .direct
                return
            }
        }
        throw SystemError(errno: ELOOP, operation: "open", path: path)
    }

    static func requireWritable(_ path: String) throws(SystemError) {
        try SystemError.retrying("access", path) { unsafe access(path, W_OK) }
    }
}

extension SystemError {
    /// Whether a file can't be replaced, although it may be writable: it is mounted (EBUSY, EXDEV), or its directory is not
    /// for this user, or the file system keeps no owners and modes.
    fileprivate var forbidsReplacing: Bool {
        [EBUSY, EXDEV, EACCES, EPERM, EROFS, EOPNOTSUPP, ENOSYS].contains(errno)
    }
}
