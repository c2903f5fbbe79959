import Foundation
import Subprocess
import SystemPackage

/// The executable in a process.
final class SandboxProcess: Sendable {
    private let running: Task<Int32, any Error>
    private let signals: AsyncStream<Signal>.Continuation
    /// What it writes to stdout, in lines.
    let lines: AsyncStream<String>

    init(_ arguments: [String]) {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let (sent, signals) = AsyncStream.makeStream(of: Signal.self)
        running = Task {
            defer { line.finish() }
            let result = try await run(
                .path(FilePath(Self.products.appending(path: "bskyauth-sandbox").path())),
                arguments: Arguments(arguments), input: .none, output: .sequence, error: .discarded
            ) { process in
                try await withThrowingTaskGroup { group in
                    group.addTask { for await signal in sent { try process.send(signal: signal) } }
                    for try await text in process.standardOutput.strings() { line.yield(text) }
                    group.cancelAll()
                }
            }
            return result.terminationStatus.number
        }
        self.lines = lines
        self.signals = signals
    }

    func terminate() { signals.yield(.terminate) }
    func interrupt() { signals.yield(.interrupt) }
    /// Does nothing when the process has ended.
    func kill() { signals.yield(.kill) }

    /// The exit status, or the negative number of the signal that ended it.
    func status() async throws -> Int32 { try await running.value }

    /// Where the package's products are: beside the running test bundle.
    private static var products: URL {
        let runner = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return runner.deletingLastPathComponent()
    }
}
