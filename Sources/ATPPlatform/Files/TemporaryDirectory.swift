internal import Glibc

/// A new directory for files that go when it goes. Only this user can enter it.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws(SystemError) {
        var template = Array("\(Spool.directory)/bskyauth-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw .last("mkdtemp", Spool.directory) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Creates a file in a new directory inside.
    package func create(_ name: String, in directory: String, _ bytes: [UInt8]) throws(SystemError) {
        let folder = path + "/" + directory
        try SystemError.retrying("mkdir", folder) { unsafe mkdir(folder, 0o700) }
        try AtomicFile.create(bytes, at: folder + "/" + name)
    }

    /// Removes the directory with everything in it.
    package func remove() throws(SystemError) {
        try FileSystem.removeTree(path)
    }
}
