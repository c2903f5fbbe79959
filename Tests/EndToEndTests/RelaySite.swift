import BskyAuthEndToEnd
import Foundation

@testable import BskyAuthCLI

/// A folder with the relay page, for a static host. It is removed with this value.
final class RelaySite: Sendable {
    /// The random part of a state.
    static let random = "k7Wq-_0123456789abcdefghijklmnopqrstuvwxyzABC"

    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "bskyauth-relay-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(RelayPage.html, "callback.html")
        // A page that frames another one: frame.html?ADDRESS#FRAGMENT.
        try write(
            """
            <!doctype html><title>A frame</title><iframe id="frame"></iframe>
            <script>document.getElementById('frame').src=location.search.slice(1)+location.hash</script>
            """, "frame.html")
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Takes the steps. The name is for the pictures.
    func visit(_ name: String, _ steps: [RelayVisit.Step]) async throws -> RelayVisit {
        try await RelayVisit.take(steps, to: folder, named: "relay-\(name)")
    }

    private func write(_ text: String, _ name: String) throws {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }
}
