internal import FoundationEssentials
internal import Glibc

/// Folders and files that only this user may read. Everything that others may read or change is refused.
public enum PrivateFiles {
    /// Makes a folder if it is missing, and checks it.
    public static func prepare(folder: String) throws(PrivateFileError) {
        if !FileManager.default.fileExists(atPath: folder) {
            do {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw PrivateFileError(path: folder, "can't be made: run `install -d -m 700 \(folder)`")
            }
        }
        let descriptor = try open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        defer { close(descriptor) }
        try check(descriptor, folder)
    }

    /// Makes an empty file if it is missing, and checks it.
    public static func prepare(file: String) throws(PrivateFileError) {
        let descriptor = try open(file, O_RDONLY | O_CREAT | O_NOFOLLOW)
        defer { close(descriptor) }
        try check(descriptor, file)
    }

    /// The bytes of a file; nil if there is none.
    ///
    /// - Parameter limit: the most bytes that such a file has.
    public static func read(_ file: String, upTo limit: Int = 1 << 20) throws(PrivateFileError) -> [UInt8]? {
        let descriptor: CInt
        do { descriptor = try open(file, O_RDONLY | O_NOFOLLOW) } catch let error where error.isMissing {
            return nil
        }
        defer { close(descriptor) }
        try check(descriptor, file)
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let from = count
            let got = unsafe bytes.withUnsafeMutableBytes { bytes in
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[from...])
                return unsafe Glibc.read(descriptor, room.baseAddress, room.count)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw PrivateFileError(path: file, "can't be read", errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= limit else { throw PrivateFileError(path: file, "is larger than such a file can be") }
        return Array(bytes.prefix(count))
    }

    /// Replaces a file, or makes it. After a crash there is the old file or the new one, and never a part of one.
    public static func write(_ bytes: [UInt8], to file: String) throws(PrivateFileError) {
        let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        let new = "\(file).new-\(UUID().uuidString)"
        let descriptor = try open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        var isKept = false
        defer { if !isKept { unsafe _ = unlink(new) } }
        do {
            defer { close(descriptor) }
            var count = 0
            while count < bytes.count {
                let from = count
                let written = unsafe bytes.withUnsafeBytes { bytes in
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[from...])
                    return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                }
                if written < 0 && errno == EINTR { continue }
                guard written >= 0 else { throw PrivateFileError(path: new, "can't be written", errno) }
                count += written
            }
            guard fsync(descriptor) == 0 else { throw PrivateFileError(path: new, "can't be written", errno) }
        }
        guard unsafe rename(new, file) == 0 else {
            throw PrivateFileError(path: file, "can't be replaced", errno)
        }
        isKept = true
        let parent = try open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY)
        defer { close(parent) }
        guard fsync(parent) == 0 else { throw PrivateFileError(path: folder, "can't be written", errno) }
    }

    /// Adds bytes to the end of a file, or makes it. Bytes that several processes add at the same time are not mixed.
    public static func append(_ bytes: [UInt8], to file: String) throws(PrivateFileError) {
        let descriptor = try open(file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW)
        defer { close(descriptor) }
        try check(descriptor, file)
        let written = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
        guard written == bytes.count else {
            throw PrivateFileError(path: file, "can't be written", written < 0 ? errno : ENOSPC)
        }
    }

    /// Copies a folder with all that is in it. A file that is removed meanwhile is left out.
    public static func copy(folder: String, to target: String) throws(PrivateFileError) {
        try prepare(folder: target)
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw PrivateFileError(path: folder, "can't be listed: \(error)")
        }
        for name in names {
            let (source, copy) = ("\(folder)/\(name)", "\(target)/\(name)")
            var status = stat()
            guard unsafe lstat(source, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                try Self.copy(folder: source, to: copy)
            } else if let bytes = try read(source, upTo: 64 << 20) {
                try write(bytes, to: copy)
            }
        }
    }

    /// Removes the Unix socket of a process that has ended. Does nothing if there is none, and refuses to remove anything else.
    public static func removeSocket(_ path: String) throws(PrivateFileError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw PrivateFileError(path: path, "can't be checked", errno) }
            return
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw PrivateFileError(path: path, "is no socket: choose another path")
        }
        guard unsafe unlink(path) == 0 else { throw PrivateFileError(path: path, "can't be removed", errno) }
    }

    private static func open(_ path: String, _ flags: CInt) throws(PrivateFileError) -> CInt {
        let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw PrivateFileError(
                path: path, errno == ELOOP ? "is a symbolic link" : "can't be opened", errno)
        }
        return descriptor
    }

    private static func check(_ descriptor: CInt, _ path: String) throws(PrivateFileError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw PrivateFileError(path: path, "can't be checked", errno)
        }
        guard status.st_uid == geteuid() else {
            throw PrivateFileError(path: path, "belongs to another user: run `chown \(geteuid()) \(path)`")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw PrivateFileError(path: path, "can be read or changed by others: run `chmod go= \(path)`")
        }
    }
}

/// Why a private file can't be used, with the next step.
public struct PrivateFileError: Error, CustomStringConvertible {
    /// The file or folder.
    public let path: String
    /// The problem, with the next step.
    public let problem: String
    /// Whether there is no such file.
    public let isMissing: Bool

    init(path: String, _ problem: String, _ number: CInt? = nil) {
        self.path = path
        self.problem = problem + (number.map { " (\(Self.words($0)))" } ?? "")
        isMissing = number == ENOENT
    }

    /// The path and what is wrong.
    public var description: String { "\(path) \(problem)" }

    private static func words(_ number: CInt) -> String {
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }
}
