internal import Glibc

/// A moment on the clock that begins with the start of the system, also runs while the machine sleeps, and can't be set
/// (`CLOCK_BOOTTIME`, clock_gettime(2)). Moments of one start can be compared, also by several processes.
package struct BootMoment: Sendable, Hashable {
    /// The random id of this start of the system (`boot_id`, random(4)).
    package let boot: String
    /// The time since the start, in milliseconds.
    package let milliseconds: Int64

    package init(boot: String, milliseconds: Int64) {
        self.boot = boot
        self.milliseconds = milliseconds
    }

    /// - Throws: ``SystemError`` if the system does not tell its id.
    package static func now() throws(SystemError) -> BootMoment {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_BOOTTIME, &time) == 0 else {
            throw SystemError(errno: errno, operation: "clock_gettime")
        }
        let id = try InputFile.read("/proc/sys/kernel/random/boot_id", limit: 64)
        return BootMoment(
            boot: String(decoding: id.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self),
            milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
