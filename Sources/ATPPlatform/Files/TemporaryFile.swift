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

    /// The path of the target.
    private var path: String { directory.path + "/" + target }

    /// Whether a name belongs to a temporary file: to one for `target`, or to any if `target` is nil.
    static func isTemporary(_ name: String, for target: String?) -> Bool {
        name.hasPrefix(target.map(prefix) ?? mark)
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

    /// Takes the name of the target durably. Fails with EEXIST if the target exists.
    consuming func claim() throws(SystemError) {
        do {
            try requireOwnName()
            try directory.rename(name, toNew: target)
        } catch {
            throw error.about(path)
        }
        isGone = true
        try directory.sync()
    }

    /// Checks that the temporary name still leads to the file that was written, and not to another one.
    private func requireOwnName() throws(SystemError) {
        guard try directory.status(of: name).isSameFile(as: file.status()) else {
            throw SystemError(errno: ESTALE, operation: "rename", path: path)
        }
    }
}
