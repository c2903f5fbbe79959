internal import BskyAuthTestPrograms
package import Foundation
internal import Testing

/// docs/bskyauth.schema.json, which says what `--json` prints.
package enum Schema {
    package static let file = Paths.repository.appending(path: "docs/bskyauth.schema.json")
    private static let validator =
        Paths.repository.appending(path: "Tests/EndToEndSupport/validate.py").path

    /// The definitions that these lines met, each as it says.
    package static func validate(_ lines: [String]) async throws -> Set<String> {
        let result = try await Program.run(
            Program.python, [validator, file.path], environment: Program.inheritedEnvironment,
            input: Data(lines.joined(separator: "\n").utf8))
        #expect(result.status == 0, "\(result.errors)")
        return Set(result.text.split(separator: "\n").map(String.init))
    }
}
