internal import Platform

/// The version of this program.
enum BskyAuthVersion {
    static let text = "0.1.0"

    /// With the commit that a build was made of, where it says so: `0.1.0 (v0.1.0-3-g98aee0e)`.
    static var full: String { BuildName.text.map { "\(text) (\($0))" } ?? text }
}
