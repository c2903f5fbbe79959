internal import Glibc

/// Finds programs.
package enum ExecutableFile {
    /// Finds the program that a name starts; nil if there is none.
    ///
    /// - Parameter path: the directories to search, as in `PATH`. A name with a slash is not searched for.
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
