internal import ATPPlatform
internal import Synchronization

/// The user's pager. It is started with the first data of a command, and shows all of it.
///
/// The terminal belongs to the pager until it ends. So messages for people wait, and a signal such as that of Ctrl-C
/// ends this process only then: otherwise the shell and the pager would read from the same terminal.
final class Pager: Sendable {
    private struct State {
        var hasStarted = false
        /// nil before the first data, and if the pager can't be started.
        var program: PipedProgram?
        /// What is said when the pager has ended.
        var messages: [String] = []
    }

    private let command: [String]
    private let environment: [String: String]
    private let state = Mutex(State())
    private let (starts, starter) = AsyncStream.makeStream(of: PipedProgram.self)

    /// - Parameter command: the program and its arguments.
    init(_ command: [String], environment: [String: String]) {
        self.command = command
        self.environment = environment.merging(["LESS": Self.lessOptions]) { own, _ in own }
    }

    /// The options of less if the user has not set any: end if everything fits on one screen, let colours through, and
    /// leave the text on the terminal.
    private static let lessOptions = "FRX"

    /// nil if the data is not shown at a terminal in front of somebody, or if the user wants no pager.
    convenience init?(_ options: GlobalOptions, _ settings: Settings) {
        guard !options.noPager, settings.mayAsk(options), settings.terminalMoves,
            StandardStream.output.isTerminal, StandardStream.inputIsTerminal,
            let command = Self.command(settings)
        else { return nil }
        self.init(command, environment: settings.environment)
    }

    private static func command(_ settings: Settings) -> [String]? {
        guard let pager = settings.pager else {
            return ExecutableFile.find("less", path: settings.environment["PATH"]).map { [$0] }
        }
        guard !pager.allSatisfy(\.isWhitespace) else { return nil }
        // With an open quote it is no program, and that is said when it can't be started.
        let words = ShellWords.split(pager) ?? [pager]
        return words == ["cat"] ? nil : words
    }

    /// Writes data to the pager, or to standard output if there is no such program.
    func write(_ bytes: [UInt8]) throws(SystemError) {
        guard !bytes.isEmpty else { return }
        if let program = program() {
            try program.write(bytes)
        } else {
            try StandardStream.output.write(bytes)
        }
    }

    /// The running pager. The first call starts it.
    private func program() -> PipedProgram? {
        state.withLock { state -> PipedProgram? in
            guard !state.hasStarted else { return state.program }
            state.hasStarted = true
            SignalHold.begin(.ending)
            do throws(SystemError) {
                let program = try PipedProgram(command, environment: environment)
                state.program = program
                starter.yield(program)
            } catch let error {
                SignalHold.end(.ending)
                let name = command[0].escapedForTerminal
                state.messages.append("the pager \(name) can't be started: \(error.reason)")
            }
            return state.program
        }
    }

    /// Keeps a message until the pager has ended; false if it is not running.
    func keep(_ message: String) -> Bool {
        state.withLock { state in
            guard state.program != nil else { return false }
            state.messages.append(message)
            return true
        }
    }

    /// Does the work of a command, and waits until the user has left the pager. If the user leaves it early, the work is
    /// cancelled, which is no error. A signal cancels it too.
    ///
    /// - Returns: how the work ended, and the messages that were kept.
    func accompany(
        _ work: @escaping @Sendable () async throws -> Void
    ) async -> (Result<Void, any Error>, messages: [String]) {
        let result = await withTaskGroup(of: Result<Void, any Error>?.self) { group in
            group.addTask {
                do { return .success(try await work()) } catch { return .failure(error) }
            }
            group.addTask {
                await self.watch()
                return nil
            }
            let result = await group.next() ?? nil
            group.cancelAll()
            close()
            return result ?? .success(())
        }
        if let program = state.withLock({ $0.program }) {
            let ending = await BlockingWork.run { program.wait() }
            if let complaint = complaint(about: ending) { state.withLock { $0.messages.append(complaint) } }
        }
        return (result, state.withLock { $0.messages })
    }

    /// That a pager which failed may not have shown everything; nil if the user left it.
    private func complaint(about ending: ChildProcess.Ending) -> String? {
        guard case .exited(let status) = ending, status != 0 else { return nil }
        return
            "the pager \(command[0].escapedForTerminal) ended with exit status \(status), so it may not have shown "
            + "everything; to do without a pager: --no-pager"
    }

    /// Obeys the signals that came while the pager was running, so this process may end here.
    func obeySignals() {
        if state.withLock({ $0.program }) != nil { SignalHold.end(.ending) }
    }

    /// Waits until the pager has ended or a signal has come.
    private func watch() async {
        var starts = starts.makeAsyncIterator()
        guard let program = await starts.next() else { return }
        await BlockingWork.run { program.waitUntilSignal() }
    }

    /// Tells the pager that nothing follows.
    private func close() {
        starter.finish()
        state.withLock { $0.program }?.close()
    }
}
