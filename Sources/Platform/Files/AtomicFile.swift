#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Files that are, after a crash or a power loss at any instant, what they were or what they became.
package enum AtomicFile {
    /// Replaces a file, durably: a new file beside it is written, synced, and takes its name. 0600 whatever the umask is.
    ///
    /// On an error the file is as it was, unless the last step failed, which makes the name durable.
    ///
    /// - Parameter durably: false for what a power loss may take back.
    package static func write(
        _ bytes: [UInt8], to path: String, durably: Bool = true
    ) throws(SystemError) {
        let temporary = try temporary(beside: path)
        try temporary.fill(bytes, durably: durably)
        try temporary.replace(durably: durably)
    }

    /// Creates a file that must not exist yet, durably.
    ///
    /// - Throws: an error of EEXIST where it does.
    package static func create(_ bytes: [UInt8], at path: String) throws(SystemError) {
        let temporary = try temporary(beside: path)
        try temporary.fill(bytes)
        try temporary.claim()
    }

    /// Makes sure that a file of `size` bytes can be written, by writing it beside its place.
    ///
    /// - Parameters:
    ///   - name: the file's name in the directory.
    ///   - durably: false where the file system's word is enough, which the disk may not keep.
    package static func reserve(
        _ name: String, in directory: OpenDirectory, size: Int, durably: Bool = true
    ) throws(SystemError) -> ReservedFile {
        let temporary = try TemporaryFile(name, in: directory)
        try temporary.fill([UInt8](repeating: 0, count: size), durably: durably)
        return ReservedFile(temporary, name, in: directory)
    }

    /// The same for a file in a directory that is not held open.
    package static func reserve(_ path: String, size: Int) throws(SystemError) -> ReservedFile {
        let directory = try OpenDirectory(FileSystem.directory(of: path))
        return try reserve(FileSystem.name(of: path), in: directory, size: size)
    }

    /// Removes what writers of a directory's files, or of one of them, left behind when they were killed. Only
    /// for a caller that holds the lock that all those writers take.
    package static func removeLeftovers(
        in directory: String, of target: String? = nil
    ) throws(SystemError) {
        for name in try FileSystem.names(in: directory, onlyHidden: true)
        where TemporaryFile.isTemporary(name, for: target) {
            try FileSystem.remove(directory + "/" + name)
        }
    }

    private static func temporary(beside path: String) throws(SystemError) -> TemporaryFile {
        let directory: OpenDirectory
        do { directory = try OpenDirectory(FileSystem.directory(of: path)) } catch { throw error.about(path) }
        return try TemporaryFile(FileSystem.name(of: path), in: directory)
    }
}

/// Space for a file that will be written when it is too late to fail. If it is not committed, it leaves no trace.
package struct ReservedFile: ~Copyable, Sendable {
    private let temporary: TemporaryFile
    private let name: String
    private let directory: OpenDirectory

    init(_ temporary: consuming TemporaryFile, _ name: String, in directory: OpenDirectory) {
        self.temporary = temporary
        self.name = name
        self.directory = directory
    }

    /// Replaces the file with these bytes, durably, and reads them back.
    ///
    /// - Parameter syncsName: false where the caller syncs the directory next, which makes the name durable.
    /// - Throws: an error of EIO where something else is read back.
    package consuming func commit(_ bytes: [UInt8], syncsName: Bool = true) throws(SystemError) {
        let (name, directory) = (name, directory)
        try temporary.fill(bytes)
        try temporary.replace(durably: syncsName)
        let written = try directory.openFile(name, flags: O_RDONLY)
        guard try written.read(limit: bytes.count, expecting: bytes.count) == bytes else {
            throw SystemError(errno: EIO, operation: "read back", path: written.path)
        }
    }
}
