internal import ATPPlatform

/// The version of this program.
enum BskyAuthVersion {
    static let text = "0.1.0"

    /// The version with the commit of the build, if the build recorded it: `0.1.0 (v0.1.0-3-g98aee0e)`.
    static var full: String { ThisProgram.build.map { "\(text) (\($0))" } ?? text }
}
