/// A cache of files. Its operations never fail, and losing a file costs only a request.
package struct CacheDirectory: Sendable {
    private let path: String?

    /// More than any cached document has.
    private static let limit = 4 << 20

    /// - Parameter path: the directory, created with the first write; nil for a cache that keeps nothing.
    package init(_ path: String?) {
        self.path = path
    }

    /// Reads the bytes under a name; nil if there are none or they can't be read.
    package func read(_ name: String) -> [UInt8]? {
        guard let file = file(name) else { return nil }
        return try? PrivateFile.read(file, limit: Self.limit)
    }

    /// Writes bytes under a name, such as `identities/example`, if it can. Readers see all of them or none.
    package func write(_ name: String, _ bytes: [UInt8]) {
        guard let file = file(name) else { return }
        do {
            try PrivateDirectory.create(FileSystem.directory(of: file))
            try AtomicFile.write(bytes, to: file, durably: false)
        } catch {
            // A missing file only costs a request.
        }
    }

    /// Removes a name, if it can.
    package func remove(_ name: String) {
        guard let file = file(name) else { return }
        _ = try? FileSystem.remove(file)
    }

    /// nil for a name that would lead out of the directory.
    private func file(_ name: String) -> String? {
        guard let path else { return nil }
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let leadsOut = parts.contains { part in
            part.isEmpty || part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8) || part.contains(0)
        }
        guard !leadsOut else { return nil }
        return path + "/" + name
    }
}
