package import FoundationEssentials
internal import Glibc

/// What tells one content of a file from another, without opening the file. Replacing the file, writing to it and changing who
/// may read it each make another version.
///
/// The clock of a file system is coarse, and a new file may get the number of one that was removed. So two changes within one
/// tick of the clock may look like one: trust only a version that ``isSettled(at:)``.
package struct FileVersion: Sendable, Hashable {
    private let device: UInt64
    private let file: UInt64
    private let size: Int64
    private let changed: Time
    private let written: Time

    private struct Time: Hashable {
        let seconds: Int
        let nanoseconds: Int

        init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }
    }

    /// The version of the file now. It does not follow a symbolic link.
    package init(of path: String) throws(SystemError) {
        let status = try FileSystem.status(path)
        device = UInt64(status.st_dev)
        file = UInt64(status.st_ino)
        size = Int64(status.st_size)
        changed = Time(status.st_ctim)
        written = Time(status.st_mtim)
    }

    /// Whether the last change is older than every tick of a clock. A later change then makes another version.
    package func isSettled(at now: Date) -> Bool {
        now.timeIntervalSince1970 - Double(changed.seconds) > 2
    }
}
