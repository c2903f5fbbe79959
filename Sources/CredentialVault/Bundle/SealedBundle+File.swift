internal import Platform

extension SealedBundle {
    /// More than any bundle has, in bytes.
    package static let limit = 1 << 20

    /// Writes the bundle to a file that must not be there yet, durably and for its owner alone, and reads it
    /// again.
    ///
    /// - Throws: ``BundleError/exists(path:)`` where there is a file, which is left as it is.
    package func write(to path: String) throws(BundleError) {
        do { try AtomicFile.create(bytes, at: path) } catch {
            throw error.isExisting ? .exists(path: path) : .vault(.io(error))
        }
        let found: [UInt8]
        do { found = try PrivateFile.read(path, limit: Self.limit) } catch {
            throw .vault(VaultError(error, at: path))
        }
        guard found == bytes else { throw .damaged(reason: "is not what was written") }
    }
}
