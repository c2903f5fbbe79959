#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A new file beside the one it is to replace. It is unlinked when it is let go without having done so.
///
/// Its errors name the file that it is for: its own name is gone when somebody reads them.
struct TemporaryFile: ~Copyable, Sendable {
    private let file: OpenFile
    private let target: String
    /// Whether the name is the file's no more.
    private var isGone = false

    private static let mark = ".bskyauth-tmp-"

    init(beside target: String) throws(SystemError) {
        self.target = target
        let suffix = String(UInt64.random(in: .min ... .max), radix: 16)
        let path = FileSystem.directory(of: target) + "/" + Self.prefix(FileSystem.name(of: target)) + suffix
        do { file = try OpenFile(path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600) } catch {
            throw error.about(target)
        }
    }

    deinit {
        if !isGone { unsafe unlink(file.path) }
    }

    /// Whether a name is one that is given to temporary files: to those for `target`, or to any.
    static func isTemporary(_ name: String, for target: String?) -> Bool {
        name.hasPrefix(target.map(prefix) ?? mark)
    }

    /// What the names of temporary files for a target begin with; short enough for every file system.
    private static func prefix(_ target: String) -> String { mark + String(target.prefix(40)) + "-" }

    /// Makes it consist of these bytes.
    func fill(_ bytes: [UInt8], durably: Bool = true) throws(SystemError) {
        do {
            try file.setMode(0o600)
            try file.overwrite(bytes)
            if durably { try file.sync() }
        } catch {
            throw error.about(target)
        }
    }

    /// Takes the name of the target.
    consuming func replace(durably: Bool = true) throws(SystemError) {
        do { try FileSystem.rename(file.path, to: target) } catch { throw error.about(target) }
        isGone = true
        if durably { try FileSystem.syncDirectory(FileSystem.directory(of: target)) }
    }

    /// Takes the name of the target, durably, unless there is one: EEXIST.
    consuming func claim() throws(SystemError) {
        try SystemError.retrying("link", target) { unsafe link(file.path, target) }
        do { try FileSystem.remove(file.path) } catch { throw error.about(target) }
        isGone = true
        try FileSystem.syncDirectory(FileSystem.directory(of: target))
    }
}
