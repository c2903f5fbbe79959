internal import ATPCryptography
internal import ATPJSON
internal import ATPPlatform
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import Synchronization

/// The keeper of a command. It starts with the first rotation, and ends when this process does.
final class KeeperConnection: RotationRunner {
    /// How a command gets the program that becomes its keeper: this program, even if its file was replaced or removed.
    static let program = "/proc/self/exe"

    private let program: String
    /// How long the keeper may take to greet. On a busy machine that can be seconds.
    private let greetingTime: Duration
    private let vault: CredentialVault
    private let context: CommandContext
    /// The keeper. The outer optional is nil before the first rotation, the inner one if no keeper could be started.
    private let started = Mutex<DetachedProgram??>(nil)
    private let state = Mutex(State())

    private struct State {
        var lastNumber: Int64 = 0
        /// The rotations that wait for an answer.
        var waiting: [Int64: CheckedContinuation<Reply, Never>] = [:]
        /// Whether a thread reads the answers.
        var isRead = false
    }

    private enum Reply {
        case outcome(RefreshOutcome)
        case failure(KeeperFailure)
        /// The keeper has ended.
        case gone
        /// The caller does not wait for the answer any more: it was cancelled, or a signal ends this process.
        case cancelled
    }

    init(
        _ vault: CredentialVault, _ context: CommandContext, program: String = program,
        greetingTime: Duration = .seconds(20)
    ) {
        self.greetingTime = greetingTime
        self.vault = vault
        self.context = context
        self.program = program
    }

    func rotate(_ request: RotationRequest) async throws -> RefreshOutcome? {
        guard let keeper = keeper() else { return nil }
        SignalHold.begin(.ending)
        defer { SignalHold.end(.ending) }
        switch await reply(to: request, of: keeper) {
        case .outcome(let outcome): return outcome
        case .failure(let failure): throw failure
        case .gone:
            context.console.detail("the refresh runs in this process, because the keeper ended")
            return nil
        case .cancelled: throw SessionFailure.cancelled
        }
    }

    // MARK: Starting

    /// The keeper, started by the first caller, on its thread: the system may have no other.
    private func keeper() -> DetachedProgram? {
        started.withLock { started in
            if let keeper = started { return keeper }
            let keeper = start()
            started = .some(keeper)
            return keeper
        }
    }

    /// Starts the keeper; nil if that can't be done here, or another program answers.
    private func start() -> DetachedProgram? {
        do {
            let keeper = try DetachedProgram(
                program, ["bskyauth", Keeper.word], environment: context.settings.environment)
            if introduce(to: keeper.socket) { return keeper }
            keeper.kill()
            context.console.detail("the refresh runs in this process, because no keeper answered")
        } catch {
            context.console.detail(
                "the refresh runs in this process, because no keeper started: \(error.reason)")
        }
        return nil
    }

    /// Sends the vault key and the settings, if the keeper is this very program.
    private func introduce(to socket: MessageSocket) -> Bool {
        let settings = KeeperSettings(home: vault.home, options: context.options)
        do {
            guard try isGreeted(by: socket) else { return false }
            try socket.send(key: vault.handedOverKey)
            try socket.send(Array(settings.json.text.utf8))
            return true
        } catch {
            return false
        }
    }

    private func isGreeted(by socket: MessageSocket) throws(SystemError) -> Bool {
        let silence = min(Self.longestSilence, greetingTime)
        if try !socket.waitForMessage(silence) {
            let rest = greetingTime - silence
            context.console.say(
                "waiting up to \(rest.components.seconds) s for the process that runs the refresh")
            guard try socket.waitForMessage(rest) else { return false }
        }
        return try socket.receive() == Keeper.greeting
    }

    /// A longer wait for the greeting is told.
    private static let longestSilence = Duration.seconds(3)

    // MARK: Asking

    private func reply(to request: RotationRequest, of keeper: DetachedProgram) async -> Reply {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting[number] = continuation }
                if Task.isCancelled { return end(number, with: .cancelled) }
                ask(KeeperRequest(number: number, rotation: request), of: keeper)
            }
        } onCancel: {
            // The keeper finishes what it has sent.
            end(number, with: .cancelled)
        }
    }

    private func ask(_ request: KeeperRequest, of keeper: DetachedProgram) {
        do { try keeper.socket.send(Array(request.json.text.utf8)) } catch {
            keeper.reap()
            return end(with: .gone)
        }
        // Only after the request is sent: if the system can't start a thread, this thread reads the answer.
        if mustRead() { Task(executorPreference: BlockingWork.shared) { self.read(keeper) } }
    }

    /// Whether answers are waited for that no thread reads. Then the caller starts one.
    private func mustRead() -> Bool {
        state.withLock { state in
            defer { state.isRead = !state.waiting.isEmpty }
            return !state.isRead && !state.waiting.isEmpty
        }
    }

    /// Reads answers until no rotation waits for one.
    private func read(_ keeper: DetachedProgram) {
        repeat {
            guard keeper.socket.waitForMessageOrSignal() else {
                context.console.say(
                    "interrupted; if a refresh was sent already, it is finished in the background")
                return end(with: .cancelled)
            }
            guard let message = try? keeper.socket.receive() else {
                keeper.socket.end()
                keeper.reap()
                return end(with: .gone)
            }
            handle((try? JSONParser.parse(message)).flatMap(KeeperAnswer.init))
        } while isAwaited()
    }

    private func isAwaited() -> Bool {
        state.withLock { state in
            state.isRead = !state.waiting.isEmpty
            return state.isRead
        }
    }

    private func handle(_ answer: KeeperAnswer?) {
        switch answer {
        case .message(let text): context.console.insist(text)
        case .outcome(let number, let outcome): end(number, with: .outcome(outcome))
        case .failure(let number, let failure): end(number, with: .failure(failure))
        case nil: end(with: .gone)
        }
    }

    private func end(_ number: Int64, with reply: Reply) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: reply)
    }

    private func end(with reply: Reply) {
        let waiting = state.withLock { state in
            defer { (state.waiting, state.isRead) = ([:], false) }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(returning: reply) }
    }
}

extension MessageSocket {
    /// Sends the vault key.
    fileprivate func send(key: SecretBytes) throws(SystemError) {
        var bytes = key.bytes
        defer { SecretBytes.clear(&bytes) }
        try send(bytes)
    }
}
