package import Foundation

/// A real program run to its end; an exit status other than 0 is data.
package enum Program {
    package struct Result: Sendable {
        package let status: Int32
        /// Whether it ended by a signal, whose number ``status`` then is.
        package let wasSignalled: Bool
        package let output: Data
        package let errors: String

        package var text: String { String(decoding: output, as: UTF8.self) }
        package var json: [String: Any]? {
            (try? JSONSerialization.jsonObject(with: output)) as? [String: Any]
        }
    }

    /// Runs a program with exactly this environment.
    ///
    /// - Parameter input: standard input; nil for /dev/null.
    package static func run(
        _ path: String, _ arguments: [String], environment: [String: String], input: Data? = nil,
        directory: URL? = nil
    ) async throws -> Result {
        let running = try Running(
            path, arguments, environment: environment, input: input, directory: directory)
        return await running.result()
    }

    /// A program that is under way.
    package final class Running: Sendable {
        package let processIdentifier: Int32
        private let process: Process
        private let ending: Task<(Int32, Bool), Never>
        private let output: Task<Data, Never>
        private let errors: Task<Data, Never>

        package init(
            _ path: String, _ arguments: [String], environment: [String: String], input: Data? = nil,
            directory: URL? = nil
        ) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
            process.environment = environment
            process.currentDirectoryURL = directory
            let (outputPipe, errorPipe, inputPipe) = (Pipe(), Pipe(), Pipe())
            process.standardOutput = outputPipe
            process.standardError = errorPipe
            process.standardInput = input == nil ? FileHandle.nullDevice : inputPipe
            let (endings, continuation) = AsyncStream<(Int32, Bool)>.makeStream()
            process.terminationHandler = { process in
                continuation.yield((process.terminationStatus, process.terminationReason == .uncaughtSignal))
                continuation.finish()
            }
            try process.run()
            self.process = process
            processIdentifier = process.processIdentifier
            output = Self.readAll(outputPipe)
            errors = Self.readAll(errorPipe)
            if let input {
                Thread.detachNewThread {
                    // A program that does not read its input is no failure of the test.
                    try? inputPipe.fileHandleForWriting.write(contentsOf: input)
                    try? inputPipe.fileHandleForWriting.close()
                }
            }
            ending = Task {
                for await ending in endings { return ending }
                return (-1, false)
            }
        }

        /// Waits for the end.
        package func result() async -> Result {
            let (status, wasSignalled) = await ending.value
            return Result(
                status: status, wasSignalled: wasSignalled, output: await output.value,
                errors: String(decoding: await errors.value, as: UTF8.self))
        }

        package func signal(_ number: Int32) {
            kill(processIdentifier, number)
        }

        /// Reads on a thread of its own: a full pipe must not stop the program.
        private static func readAll(_ pipe: Pipe) -> Task<Data, Never> {
            let (chunks, continuation) = AsyncStream<Data>.makeStream()
            let handle = pipe.fileHandleForReading
            Thread.detachNewThread {
                while let chunk = try? handle.read(upToCount: 65536), !chunk.isEmpty {
                    continuation.yield(chunk)
                }
                continuation.finish()
            }
            return Task {
                var all = Data()
                for await chunk in chunks { all.append(chunk) }
                return all
            }
        }
    }
}
