internal import Glibc

/// Programs that can be started.
package enum ExecutableFile {
    /// Where a program is that is started by this name; nil where there is none.
    ///
    /// - Parameter path: the directories to look in, as `PATH` has them; a name with a slash needs none.
    package static func find(_ name: String, path: String?) -> String? {
        if name.contains("/") { return isExecutable(name) ? name : nil }
        let directories = (path ?? "/usr/bin:/bin").split(separator: ":", omittingEmptySubsequences: false)
        return directories.lazy.map { "\($0.isEmpty ? "." : $0)/\(name)" }.first(where: isExecutable)
    }

    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return unsafe access(path, X_OK) == 0
    }
}
