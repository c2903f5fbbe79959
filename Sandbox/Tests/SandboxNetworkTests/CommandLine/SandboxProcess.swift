import Foundation
import Synchronization

/// The executable in a process.
final class SandboxProcess: Sendable {
    private let process: Mutex<Process>
    private let ended: AsyncStream<Int32>
    /// What it writes to stdout, in lines.
    let lines: AsyncStream<String>

    init(_ arguments: [String]) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = Self.products.appending(path: "bskyauth-sandbox")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        process.terminationHandler = { process in
            end.yield(
                process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
        }
        let pending = Mutex("")
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                line.finish()
                return
            }
            let complete = pending.withLock { text in
                text += String(decoding: data, as: UTF8.self)
                let parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                text = parts.last ?? ""
                return parts.dropLast()
            }
            for text in complete { line.yield(text) }
        }
        self.ended = ended
        self.lines = lines
        try process.run()
        self.process = Mutex(process)
    }

    func terminate() {
        process.withLock { $0.terminate() }
    }

    /// Does nothing when the process has ended.
    func kill() {
        process.withLock { process in
            if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
        }
    }

    func interrupt() {
        process.withLock { $0.interrupt() }
    }

    /// The exit status, or the negative number of the signal that ended it.
    func status() async -> Int32 {
        for await status in ended { return status }
        return .min
    }

    /// Where the package's products are: beside the running test bundle.
    private static var products: URL {
        let runner = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return runner.deletingLastPathComponent()
    }
}
