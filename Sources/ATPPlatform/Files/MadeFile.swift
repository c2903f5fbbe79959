internal import CATPPlatform
internal import Glibc

/// A file that this process made, and that it removes at its end. A file that another program has put in its place stays.
///
/// The descriptor keeps the number of the file from being given to another one.
package final class MadeFile: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Takes the file that is at the path now. It does not follow a symbolic link.
    package init(_ path: String) throws(SystemError) {
        descriptor = try SystemError.retrying("open", path) { unsafe bskyauth_pin(path) }
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Removes the name of the file.
    ///
    /// - Returns: false if another file has the name now.
    package func remove() throws(SystemError) -> Bool {
        var own = stat()
        try SystemError.retrying("fstat", path) { unsafe fstat(descriptor, &own) }
        do {
            guard try FileSystem.status(path).isSameFile(as: own) else { return false }
        } catch {
            guard error.isMissing else { throw error }
            return true
        }
        try FileSystem.remove(path)
        return true
    }
}
