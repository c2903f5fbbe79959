/// The version of this program.
enum BskyAuthVersion {
    static let text = "0.1.0"
}
