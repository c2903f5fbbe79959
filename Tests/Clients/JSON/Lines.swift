import Foundation

/// Writes a JSON object to standard output, on a line of its own.
package func write(line: [String: Any]) throws {
    let data = try JSONSerialization.data(
        withJSONObject: line, options: [.withoutEscapingSlashes, .sortedKeys])
    FileHandle.standardOutput.write(data + Data("\n".utf8))
}
