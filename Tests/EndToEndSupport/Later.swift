import Foundation

/// Another time for the program: Debian's `faketime`, as variables of its environment.
package enum Later {
    private static let library = [
        "/usr/lib/\(architecture)-linux-gnu/faketime/libfaketime.so.1",
        "/usr/lib64/faketime/libfaketime.so.1",
    ].first { FileManager.default.fileExists(atPath: $0) }

    package static var isPossible: Bool { library != nil }

    package static var anHour: [String: String] { by(seconds: 61 * 60) }
    package static var twoMinutes: [String: String] { by(seconds: 120) }

    /// Shifts the clock; the past is negative.
    package static func by(seconds: Int) -> [String: String] {
        guard let library else { return [:] }
        let shift = seconds < 0 ? "\(seconds)s" : "+\(seconds)s"
        return ["LD_PRELOAD": library, "FAKETIME": shift, "FAKETIME_DONT_FAKE_MONOTONIC": "1"]
    }

    private static var architecture: String {
        #if arch(arm64)
            "aarch64"
        #else
            "x86_64"
        #endif
    }
}
