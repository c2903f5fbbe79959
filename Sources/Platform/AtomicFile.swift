/// Files that are, after a crash or a power loss at any instant, what they were or what they became.
package enum AtomicFile {
    /// Replaces a file, durably: a new one beside it, synced, takes its name. 0600 whatever the umask is.
    ///
    /// On an error the file is as it was, unless it was the last step that failed: making the name durable.
    ///
    /// - Parameter durably: false for what a power loss may take back.
    package static func write(
        _ bytes: [UInt8], to path: String, durably: Bool = true
    ) throws(SystemError) {
        let temporary = try TemporaryFile(beside: path)
        try temporary.fill(bytes, durably: durably)
        try temporary.replace(durably: durably)
    }

    /// Makes a file that must not exist yet, durably.
    ///
    /// - Throws: an error of EEXIST where it does.
    package static func create(_ bytes: [UInt8], at path: String) throws(SystemError) {
        let temporary = try TemporaryFile(beside: path)
        try temporary.fill(bytes)
        try temporary.claim()
    }

    /// Makes sure that a file of `size` bytes can be written, by writing it beside its place.
    ///
    /// - Parameter durably: false where the file system's word for it will do, which the disk may not keep.
    package static func reserve(
        _ path: String, size: Int, durably: Bool = true
    ) throws(SystemError) -> ReservedFile {
        let temporary = try TemporaryFile(beside: path)
        try temporary.fill([UInt8](repeating: 0, count: size), durably: durably)
        return ReservedFile(temporary)
    }

    /// Removes what writers of a directory's files, or of one of them, left behind when they were killed. Only
    /// for who holds the lock that all those writers take.
    package static func removeLeftovers(
        in directory: String, of target: String? = nil
    ) throws(SystemError) {
        for name in try FileSystem.names(in: directory, onlyHidden: true)
        where TemporaryFile.isTemporary(name, for: target) {
            try FileSystem.remove(directory + "/" + name)
        }
    }
}

/// Space for a file that will be written when it is too late to fail. What is not committed leaves no trace.
package struct ReservedFile: ~Copyable, Sendable {
    private let temporary: TemporaryFile

    init(_ temporary: consuming TemporaryFile) {
        self.temporary = temporary
    }

    /// Replaces the file with these bytes, which are durable then.
    ///
    /// - Parameter syncsName: false where the caller syncs the directory next, which makes the name durable.
    package consuming func commit(_ bytes: [UInt8], syncsName: Bool = true) throws(SystemError) {
        try temporary.fill(bytes)
        try temporary.replace(durably: syncsName)
    }
}
