internal import Glibc

/// Writes files so that a crash or a power loss at any moment leaves the old content or the new one.
package enum AtomicFile {
    /// Replaces a file: a new file beside it is written, synced, and takes its name. Its mode is 0600 whatever the umask
    /// is.
    ///
    /// An error leaves the file as it was, unless the last step failed, which makes the name durable.
    ///
    /// - Parameter durably: whether the new content has to survive a power loss.
    package static func write(
        _ bytes: [UInt8], to path: String, durably: Bool = true
    ) throws(SystemError) {
        let temporary = try temporary(beside: path)
        try temporary.fill(bytes, durably: durably)
        try temporary.replace(durably: durably)
    }

    /// Creates a file that must not exist yet, durably.
    ///
    /// - Parameter needsMode: whether to fail on a file system that keeps no modes, such as FAT.
    /// - Returns: whether only the owner may use the file.
    /// - Throws: an error with EEXIST if it exists.
    @discardableResult
    package static func create(
        _ bytes: [UInt8], at path: String, needsMode: Bool = true
    ) throws(SystemError) -> Bool {
        let temporary = try temporary(beside: path)
        let isPrivate = try temporary.fill(bytes, needsMode: needsMode)
        try temporary.claim()
        return isPrivate
    }

    /// Checks that a file can be created: its name is free, and this user may create files in its directory.
    ///
    /// - Throws: an error with EEXIST if it exists.
    package static func requireRoom(for path: String) throws(SystemError) {
        guard try !FileSystem.exists(path) else {
            throw SystemError(errno: EEXIST, operation: "create", path: path)
        }
        let directory = FileSystem.directory(of: path)
        do { _ = try OpenDirectory(directory) } catch { throw error.about(path) }
        if let obstacle = FileSystem.obstacle(toWritingIn: directory) { throw obstacle.about(path) }
    }

    /// Makes sure that a file of `size` bytes can be written, by writing such a file beside it.
    ///
    /// - Parameters:
    ///   - name: the file's name in the directory.
    ///   - durably: whether to sync the space. Without it, the disk may still turn out to be full.
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

    /// Removes the temporary files that killed writers left in a directory, or those for one target. The caller has to
    /// hold the lock that all these writers take.
    package static func removeLeftovers(
        in directory: String, of target: String? = nil
    ) throws(SystemError) {
        for file in try leftovers(in: directory, of: target) { try FileSystem.remove(file) }
    }

    /// The paths of the temporary files in a directory, or of those for one target, sorted.
    package static func leftovers(
        in directory: String, of target: String? = nil
    ) throws(SystemError) -> [String] {
        try FileSystem.names(in: directory, onlyHidden: true).sorted()
            .filter { TemporaryFile.isTemporary($0, for: target) }.map { directory + "/" + $0 }
    }

    private static func temporary(beside path: String) throws(SystemError) -> TemporaryFile {
        let directory: OpenDirectory
        do { directory = try OpenDirectory(FileSystem.directory(of: path)) } catch { throw error.about(path) }
        return try TemporaryFile(FileSystem.name(of: path), in: directory)
    }
}

/// Reserved space for a file, so that writing it can't fail on a full disk. Without ``commit(_:syncsName:)`` it leaves
/// nothing behind.
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
    /// - Parameter syncsName: false if the caller syncs the directory next, which makes the name durable.
    /// - Throws: an error with EIO if other bytes are read back.
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
