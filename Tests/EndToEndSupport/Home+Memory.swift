package import BskyAuthTestPrograms
package import Foundation

extension Home {
    /// Runs a command and measures it.
    ///
    /// - Returns: with its result, the most memory that it held at once, in bytes.
    package func measure(
        _ command: [String], input: Data? = nil
    ) async throws -> (result: Program.Result, peak: Int) {
        let file = directory.appending(path: "peak-\(UUID().uuidString)")
        let script = Paths.repository.appending(path: "Tests/EndToEndSupport/peak_memory.py").path
        let result = try await Program.run(
            Program.python, [script, file.path] + command, environment: environment, input: input,
            directory: directory)
        guard let peak = Int(try String(contentsOf: file, encoding: .utf8)) else {
            throw CommandFailed(arguments: command, result: result)
        }
        return (result, peak)
    }
}
