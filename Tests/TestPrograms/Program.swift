package import Foundation

/// Runs real programs. An exit status other than 0 is a result, not an error.
package enum Program {
    package struct Result: Sendable {
        package let status: Int32
        /// Whether a signal ended the program. ``status`` is its number then.
        package let wasSignalled: Bool
        package let output: Data
        package let errors: String

        package var text: String { String(decoding: output, as: UTF8.self) }
        package var json: [String: Any]? {
            (try? JSONSerialization.jsonObject(with: output)) as? [String: Any]
        }
    }

    /// The environment of the tests, for programs other than bskyauth.
    package static var inheritedEnvironment: [String: String] { ProcessInfo.processInfo.environment }

    /// The system's Python. It has the packages of Debian, and starts faster than a version manager's, which is often the first in
    /// `PATH`.
    package static let python = "/usr/bin/python3"

    /// Runs a program with exactly this environment.
    ///
    /// - Parameter input: standard input; nil for /dev/null.
    package static func run(
        _ path: String, _ arguments: [String], environment: [String: String], input: Data? = nil,
        directory: URL? = nil
    ) async throws -> Result {
        let running = try Running(
            path, arguments, environment: environment, input: input, directory: directory)
        return try await running.result()
    }

    /// Compiles a library in C, for programs that load it.
    package static func compile(_ source: String, to library: URL) async throws {
        let file = library.appendingPathExtension("c")
        try Data(source.utf8).write(to: file)
        let result = try await run(
            "/usr/bin/env", ["clang", "-shared", "-fPIC", "-o", library.path, file.path],
            environment: inheritedEnvironment)
        guard result.status == 0 else { throw NotCompiled(words: result.errors) }
    }

    private struct NotCompiled: Error {
        let words: String
    }

    /// A process that gets signals.
    package protocol Signalled: Sendable {
        var processIdentifier: Int32 { get }
        /// Sends a signal. A program that has ended gets none.
        func signal(_ number: Int32)
    }

    /// A running program.
    ///
    /// Its streams are files, so nothing has to be read while it runs.
    package final class Running: Signalled {
        private let child: Spawn.Child
        private let streams: Streams

        package init(
            _ path: String, _ arguments: [String], environment: [String: String], input: Data? = nil,
            directory: URL? = nil
        ) throws {
            streams = try Streams(input: input)
            child = try Spawn.start(
                path, arguments, environment: environment,
                input: input == nil ? .nothing : .file(streams.input.path),
                output: .file(streams.output.path), errors: .file(streams.errors.path),
                directory: directory?.path)
        }

        /// Waits for the end.
        package func result() async throws -> Result {
            let ending = await child.result
            return Result(
                status: ending.status, wasSignalled: ending.wasSignalled,
                output: try Data(contentsOf: streams.output),
                errors: String(decoding: try Data(contentsOf: streams.errors), as: UTF8.self))
        }

        /// What the program has printed on standard error until now.
        package var errors: String {
            // The file exists from the start.
            (try? String(contentsOf: streams.errors, encoding: .utf8)) ?? ""
        }

        package var processIdentifier: Int32 { child.number }

        package var isRunning: Bool { child.isRunning }

        package func signal(_ number: Int32) { child.signal(number) }

        /// Waits for the end, for code that can't await.
        package func waitForEnd() { child.waitForEnd() }
    }

    /// The files that a program reads and writes. They are removed with this value.
    private final class Streams: Sendable {
        let directory: URL
        let input: URL
        let output: URL
        let errors: URL

        init(input content: Data?) throws {
            directory = FileManager.default.temporaryDirectory
                .appending(path: "bskyauth-streams-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            input = directory.appending(path: "input")
            output = directory.appending(path: "output")
            errors = directory.appending(path: "errors")
            try (content ?? Data()).write(to: input)
        }

        deinit {
            try? FileManager.default.removeItem(at: directory)
        }
    }
}
