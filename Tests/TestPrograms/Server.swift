internal import Foundation

extension Program {
    /// A program that says one line when it is ready, and then runs until it is told to end.
    ///
    /// It ends with the last reference to it, too.
    package final class Server: Sendable {
        /// Which of its streams the line comes on; the other one goes nowhere.
        package enum Announcing: Sendable {
            case onOutput
            case onErrors
        }

        /// The line, without its end; empty where it ended before it said one.
        package let announcement: String
        package let processIdentifier: Int32
        private let ending: Task<Spawn.Ending, Never>
        /// Its standard input, for programs that end when nobody is left to write to it.
        private let leash: FileHandle
        /// What the line came on. Nobody reads on, but it stays open: what it says later must not end it.
        private let voice: FileHandle

        /// Starts it and waits for its line.
        package init(
            _ path: String, _ arguments: [String], environment: [String: String],
            announcing: Announcing = .onOutput
        ) throws {
            let said = Pipe()
            let leash = Pipe()
            let voice = Spawn.Stream.descriptor(said.fileHandleForWriting.fileDescriptor)
            processIdentifier = try Spawn.start(
                path, arguments, environment: environment,
                input: .descriptor(leash.fileHandleForReading.fileDescriptor),
                output: announcing == .onOutput ? voice : .nothing,
                errors: announcing == .onErrors ? voice : .nothing, directory: nil)
            ending = Spawn.ending(of: processIdentifier)
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

        deinit {
            kill(processIdentifier, SIGTERM)
        }

        /// Ends it by a signal, and waits until it is gone.
        ///
        /// - Returns: whether the kernel has written its memory down.
        @discardableResult
        package func end(by signal: Int32 = SIGTERM) async -> Bool {
            kill(processIdentifier, signal)
            return await ending.value.dumpedCore
        }
    }
}
