internal import Glibc

/// A new file beside the one that it replaces. It is removed when it is dropped before it has replaced that file.
///
/// It stays in the directory that it was created in, even if the path leads elsewhere meanwhile. Its errors name the
/// target, because the temporary name is gone when the user reads them.
struct TemporaryFile: ~Copyable, Sendable {
    private let directory: OpenDirectory
    private let file: OpenFile
    private let name: String
    private let target: String
    /// Whether the file has its temporary name.
    private var isNamed = true

    private static let mark = ".bskyauth-tmp-"

    init(_ target: String, in directory: OpenDirectory) throws(SystemError) {
        self.directory = directory
        self.target = target
        name = Self.name(target)
        do { file = try directory.openFile(name, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600) } catch {
            throw error.about(directory.path + "/" + target)
        }
    }

    /// A file that gets its temporary name only when it replaces the target, so that a killed process leaves nothing. A file
    /// system without such files gives it the name at once.
    ///
    /// - Parameter mode: the mode before the umask.
    init(namelessFor target: String, in directory: OpenDirectory, mode: UInt32) throws(SystemError) {
        self.directory = directory
        self.target = target
        name = Self.name(target)
        do {
            // The name is given by way of /proc.
            let canBeNamed = FileSystem.destination(of: "/proc/self/fd") != nil
            if canBeNamed, let nameless = try directory.openNameless(mode: mode) {
                file = nameless
                isNamed = false
            } else {
                file = try directory.openFile(name, flags: O_RDWR | O_CREAT | O_EXCL, mode: mode)
            }
        } catch {
            throw error.about(directory.path + "/" + target)
        }
    }

    deinit {
        if isNamed {
            do { try directory.remove(name) } catch {}
        }
    }

    /// The path of the target.
    private var path: String { directory.path + "/" + target }

    /// Whether a name belongs to a temporary file: to one for `target`, or to any if `target` is nil.
    static func isTemporary(_ name: String, for target: String?) -> Bool {
        name.hasPrefix(target.map(prefix) ?? mark)
    }

    private static func name(_ target: String) -> String {
        prefix(target) + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// The beginning of the names of temporary files for a target, short enough for every file system.
    private static func prefix(_ target: String) -> String { mark + String(target.prefix(40)) + "-" }

    /// Replaces the content of the temporary file.
    ///
    /// - Parameter needsMode: whether to fail on a file system that keeps no modes.
    /// - Returns: whether only the owner may use the file.
    @discardableResult
    func fill(
        _ bytes: [UInt8], durably: Bool = true, needsMode: Bool = true
    ) throws(SystemError) -> Bool {
        do {
            let isPrivate = try setMode(isNeeded: needsMode)
            try file.overwrite(bytes)
            if durably { try file.sync() }
            return isPrivate
        } catch {
            throw error.about(path)
        }
    }

    private func setMode(isNeeded: Bool) throws(SystemError) -> Bool {
        do { try file.setMode(0o600) } catch {
            // FAT answers so. The file is this process's own, so nothing else does.
            guard !isNeeded, [EPERM, EOPNOTSUPP, ENOSYS].contains(error.errno) else { throw error }
        }
        return try file.status().st_mode & 0o077 == 0
    }

    /// The file once more, for writing a part after the other.
    func content() throws(SystemError) -> OpenFile {
        do { return try file.duplicate() } catch { throw error.about(path) }
    }

    /// Takes over the owner, the group and the mode of another file.
    func takeOver(_ status: stat) throws(SystemError) {
        do {
            try file.setOwner(status.st_uid, status.st_gid)
            try file.setMode(status.st_mode & 0o777)
        } catch {
            throw error.about(path)
        }
    }

    /// Takes the name of the target.
    consuming func replace(durably: Bool = true) throws(SystemError) {
        do {
            if !isNamed {
                try directory.name(file, name)
                isNamed = true
            }
            try requireOwnName()
            try directory.rename(name, to: target)
        } catch {
            throw error.about(path)
        }
        isNamed = false
        if durably { try directory.sync() }
    }

    /// Takes the name of the target durably. Fails with EEXIST if the target exists.
    consuming func claim() throws(SystemError) {
        do {
            try requireOwnName()
            try directory.rename(name, toNew: target)
        } catch {
            throw error.about(path)
        }
        isNamed = false
        try directory.sync()
    }

    /// Checks that the temporary name still leads to the file that was written, and not to another one.
    private func requireOwnName() throws(SystemError) {
        guard try directory.status(of: name).isSameFile(as: file.status()) else {
            throw SystemError(errno: ESTALE, operation: "rename", path: path)
        }
    }
}
