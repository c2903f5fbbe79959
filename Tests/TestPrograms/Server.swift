internal import Foundation

extension Program {
    /// A program that writes one line when it is ready, and then runs until it is ended.
    ///
    /// It ends with the last reference to this value at the latest.
    package final class Server: Signalled {
        /// The stream of the line. The other stream is /dev/null.
        package enum Announcing: Sendable {
            case onOutput
            case onErrors
        }

        /// The line without its end; empty if the program ended before.
        package let announcement: String
        private let child: Spawn.Child
        /// The writing end of its standard input. Some programs end when it is closed.
        private let leash: FileHandle
        /// The stream of the line. It stays open, because a closed pipe could end the program.
        private let voice: FileHandle

        /// Starts the program and waits for its line.
        package init(
            _ path: String, _ arguments: [String], environment: [String: String],
            announcing: Announcing = .onOutput
        ) throws {
            let said = Pipe()
            let leash = Pipe()
            let voice = Spawn.Stream.descriptor(said.fileHandleForWriting.fileDescriptor)
            child = try Spawn.start(
                path, arguments, environment: environment,
                input: .descriptor(leash.fileHandleForReading.fileDescriptor),
                output: announcing == .onOutput ? voice : .nothing,
                errors: announcing == .onErrors ? voice : .nothing, directory: nil)
            try said.fileHandleForWriting.close()
            try leash.fileHandleForReading.close()
            self.leash = leash.fileHandleForWriting
            self.voice = said.fileHandleForReading
            var line = Data()
            while let byte = try self.voice.read(upToCount: 1), !byte.isEmpty,
                byte != Data([0x0a])
            {
                line.append(byte)
            }
            announcement = String(decoding: line, as: UTF8.self)
        }

        /// Starts the program and waits for its line, without blocking the cooperative pool.
        package static func start(
            _ path: String, _ arguments: [String], environment: [String: String],
            announcing: Announcing = .onOutput
        ) async throws -> Server {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Swift.Result {
                            try Server(path, arguments, environment: environment, announcing: announcing)
                        })
                }
            }
        }

        deinit {
            child.signal(SIGTERM)
        }

        package var processIdentifier: Int32 { child.number }

        package func signal(_ number: Int32) { child.signal(number) }

        /// Ends the program by a signal, and waits for its end.
        ///
        /// - Returns: whether the kernel has written a core file.
        @discardableResult
        package func end(by signal: Int32 = SIGTERM) async -> Bool {
            child.signal(signal)
            return await child.result.dumpedCore
        }
    }
}
