#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A new file beside the one that it replaces. It is removed when it is dropped before it has replaced that file.
///
/// It stays in the directory that it was created in, whatever becomes of the path meanwhile. Its errors name the file
/// that it is for, because its own name is gone when a person reads them.
struct TemporaryFile: ~Copyable, Sendable {
    private let directory: OpenDirectory
    private let file: OpenFile
    private let name: String
    private let target: String
    /// Whether the file has given up its temporary name.
    private var isGone = false

    private static let mark = ".bskyauth-tmp-"

    init(_ target: String, in directory: OpenDirectory) throws(SystemError) {
        self.directory = directory
        self.target = target
        name = Self.prefix(target) + String(UInt64.random(in: .min ... .max), radix: 16)
        do { file = try directory.openFile(name, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600) } catch {
            throw error.about(directory.path + "/" + target)
        }
    }

    deinit {
        if !isGone {
            do { try directory.remove(name) } catch {}
        }
    }

    /// The path of the file that this one is for.
    private var path: String { directory.path + "/" + target }

    /// Whether a name is one that is given to temporary files: to those for `target`, or to any.
    static func isTemporary(_ name: String, for target: String?) -> Bool {
        name.hasPrefix(target.map(prefix) ?? mark)
    }

    /// What the names of temporary files for a target begin with; short enough for every file system.
    private static func prefix(_ target: String) -> String { mark + String(target.prefix(40)) + "-" }

    /// Makes the file consist of these bytes.
    func fill(_ bytes: [UInt8], durably: Bool = true) throws(SystemError) {
        do {
            try file.setMode(0o600)
            try file.overwrite(bytes)
            if durably { try file.sync() }
        } catch {
            throw error.about(path)
        }
    }

    /// Takes the name of the target.
    consuming func replace(durably: Bool = true) throws(SystemError) {
        do {
            try requireOwnName()
            try directory.rename(name, to: target)
        } catch {
            throw error.about(path)
        }
        isGone = true
        if durably { try directory.sync() }
    }

    /// Takes the name of the target, durably, unless the name exists: EEXIST.
    consuming func claim() throws(SystemError) {
        do {
            try requireOwnName()
            try directory.link(name, as: target)
            try directory.remove(name)
        } catch {
            throw error.about(path)
        }
        isGone = true
        try directory.sync()
    }

    /// Makes sure that the temporary name still leads to the file that was written, and not to another one.
    private func requireOwnName() throws(SystemError) {
        guard try directory.status(of: name).isSameFile(as: file.status()) else {
            throw SystemError(errno: ESTALE, operation: "rename", path: path)
        }
    }
}
