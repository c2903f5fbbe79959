internal import ATPPlatform

/// File operations that throw the vault's errors.
enum VaultFiles {
    /// The size limit when reading a file, in bytes. Every file of a vault is smaller.
    private static let limit = 4 << 20

    /// Reads a file; nil if it does not exist.
    static func read(_ path: String) throws(VaultError) -> [UInt8]? {
        do {
            return try PrivateFile.read(path, limit: limit)
        } catch {
            if case .missing = error { return nil }
            throw VaultError(error, at: path)
        }
    }

    static func write(_ bytes: [UInt8], to path: String) throws(VaultError) {
        do { try AtomicFile.write(bytes, to: path) } catch { throw VaultError(writing: error) }
    }

    static func open(_ directory: String) throws(VaultError) -> OpenDirectory {
        do { return try OpenDirectory(directory) } catch { throw .io(error) }
    }

    static func reserve(_ path: String, size: Int) throws(VaultError) -> ReservedFile {
        do { return try AtomicFile.reserve(path, size: size) } catch { throw VaultError(writing: error) }
    }

    /// Reserves space in a directory that is held open, even if its path has changed.
    static func reserve(
        _ path: String, in directory: OpenDirectory, size: Int, durably: Bool = true
    ) throws(VaultError) -> ReservedFile {
        let name = FileSystem.name(of: path)
        do { return try AtomicFile.reserve(name, in: directory, size: size, durably: durably) } catch {
            throw VaultError(writing: error)
        }
    }

    static func name(of path: String) -> String { FileSystem.name(of: path) }

    static func exists(_ path: String) throws(VaultError) -> Bool {
        do { return try FileSystem.exists(path) } catch { throw .io(error) }
    }

    /// The names in a directory; empty if the directory does not exist.
    static func names(in path: String) throws(VaultError) -> [String] {
        do { return try FileSystem.names(in: path) } catch {
            if error.isMissing { return [] }
            throw .io(error)
        }
    }

    static func createDirectory(_ path: String) throws(VaultError) {
        do { try PrivateDirectory.create(path) } catch {
            if case .system(let error) = error { throw VaultError(writing: error) }
            throw VaultError(error, at: path)
        }
    }

    /// Verifies that a directory is private to its owner. A missing directory is no error.
    static func verifyDirectory(_ path: String) throws(VaultError) {
        do { try PrivateDirectory.verify(path) } catch {
            if case .missing = error { return }
            throw VaultError(error, at: path)
        }
    }

    /// Renames durably.
    static func rename(_ path: String, to other: String) throws(VaultError) {
        do {
            try FileSystem.rename(path, to: other)
            let (source, target) = (FileSystem.directory(of: path), FileSystem.directory(of: other))
            try FileSystem.syncDirectory(target)
            if source != target { try FileSystem.syncDirectory(source) }
        } catch {
            throw VaultError(writing: error)
        }
    }

    /// Removes a file durably if it exists.
    static func remove(_ path: String) throws(VaultError) {
        do {
            guard try FileSystem.remove(path) else { return }
            try FileSystem.syncDirectory(FileSystem.directory(of: path))
        } catch {
            throw VaultError(writing: error)
        }
    }

    /// Removes files of one directory and syncs it once.
    static func remove(_ paths: [String], in directory: String) throws(VaultError) {
        guard !paths.isEmpty else { return }
        do {
            for path in paths { try FileSystem.remove(path) }
            try FileSystem.syncDirectory(directory)
        } catch {
            throw VaultError(writing: error)
        }
    }

    static func removeTree(_ path: String) throws(VaultError) {
        do { try FileSystem.removeTree(path) } catch { throw VaultError(writing: error) }
    }

    /// Makes the names in a directory survive a power loss.
    static func sync(_ directory: String) throws(VaultError) {
        do { try FileSystem.syncDirectory(directory) } catch { throw VaultError(writing: error) }
    }

    /// Removes temporary files that killed processes left. The caller holds the lock that all writers of the directory
    /// take.
    static func removeLeftovers(in directory: String, of target: String? = nil) throws(VaultError) {
        do { try AtomicFile.removeLeftovers(in: directory, of: target) } catch {
            guard error.isMissing else { throw VaultError(writing: error) }
        }
    }

    /// The paths of the temporary files in a directory, sorted.
    static func leftovers(in directory: String) throws(VaultError) -> [String] {
        do { return try AtomicFile.leftovers(in: directory) } catch {
            if error.isMissing { return [] }
            throw .io(error)
        }
    }
}
