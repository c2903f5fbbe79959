internal import ATPCryptography
internal import ATPJSON
internal import ATPPlatform
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import Synchronization

/// The process that refreshes sessions for a command and outlives it.
///
/// A command may be killed at any moment, and a server that got a refresh token has spent it. So the command starts this
/// program once more, as its keeper, in a session of its own and without a terminal. The keeper takes the account's lock
/// and runs the refresh. When the command is gone, it finishes the requests that it has sent and begins no other.
struct Keeper {
    /// The only word of the keeper's command line. It is not a command for users.
    static let word = "---keeper"

    /// The first message. Both processes must run the same program, because the next message is the vault key.
    static let greeting = Array("bskyauth keeper \(BskyAuthVersion.full)".utf8)

    private let socket: MessageSocket
    private let section: KeeperSection
    private let environment: SessionEnvironment

    /// Serves one command until it is gone.
    static func serve() async -> Int32 {
        guard let socket = MessageSocket.standardInput() else { return ExitStatus.usage.rawValue }
        SignalHold.begin(.all)
        do {
            try socket.send(greeting)
            guard let keeper = try Keeper(socket) else { return ExitStatus.failure.rawValue }
            await keeper.answerRequests()
            await keeper.section.close()
            return ExitStatus.done.rawValue
        } catch {
            // The command has no keeper then, and refreshes by itself.
            return ExitStatus.failure.rawValue
        }
    }

    /// Nil if the command is gone, a message is not understood, or the system has no thread for requests.
    private init?(_ socket: MessageSocket) throws {
        guard let bytes = try socket.receive() else { return nil }
        let key = SecretBytes(clearing: consume bytes)
        guard let settings = try socket.receive().flatMap({ KeeperSettings(try JSONParser.parse($0)) })
        else { return nil }
        try OpenSSL.start()
        let section = KeeperSection()
        let context = CommandContext(keeper: settings.options) { text in
            // The command has said itself what is said before the first request.
            guard section.isUsed else { return }
            // Dropped while the command is stopped: the keeper may hold a lock now.
            try? socket.send(KeeperAnswer.message(text).bytes, waits: false)
        }
        let servers = ServerAccess(context)
        let network = try servers.network()
        guard network.start() else { return nil }
        environment = SessionEnvironment(
            accounts: VaultAccounts(
                try CredentialVault.open(
                    at: settings.home, handedOver: key, stores: context.vaultOpener.stores),
                log: context.console.log),
            network: try servers.environment(network), criticalSection: section, mirror: nil,
            keeper: nil)
        self.socket = socket
        self.section = section
    }

    /// Runs each request in a task of its own. Returns when the command is gone.
    private func answerRequests() async {
        while let request = await next() {
            section.use()
            Task(executorPreference: BlockingWork.shared) { await answer(request) }
        }
    }

    /// Nil if the command is gone. An error means the same: ECONNRESET, if the command has not read every message.
    private func next() async -> KeeperRequest? {
        let message = await BlockingWork.run { try? socket.receive() }
        return message.flatMap { try? JSONParser.parse($0) }.flatMap(KeeperRequest.init)
    }

    private func answer(_ request: KeeperRequest) async {
        let answer: KeeperAnswer
        do {
            let outcome = try await RefreshFlow(environment.context).rotate(for: request.rotation)
            answer = .outcome(request.number, outcome)
        } catch {
            answer = .failure(request.number, KeeperFailure(error))
        }
        // Without this answer the command would wait for ever. If it is gone, this changes nothing.
        do { try socket.send(answer.bytes) } catch { socket.end() }
    }
}

extension KeeperAnswer {
    fileprivate var bytes: [UInt8] { Array(json.text.utf8) }
}

/// The rotations that the keeper must finish. Signals never end the keeper: it ends when its command is gone.
final class KeeperSection: CriticalSection {
    private struct State {
        var depth = 0
        var isUsed = false
        var isClosed = false
        var whenEmpty: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Whether a request has come.
    var isUsed: Bool { state.withLock(\.isUsed) }

    func use() { state.withLock { $0.isUsed = true } }

    func enter() { state.withLock { $0.depth += 1 } }

    func leave() {
        let waiting = state.withLock { state in
            state.depth -= 1
            return state.depth == 0 ? state.whenEmpty.take() : nil
        }
        waiting?.resume()
    }

    /// Whether the command is gone, so that no request is sent any more.
    var isInterrupted: Bool { state.withLock(\.isClosed) }

    /// Lets no other rotation begin, and waits for the end of those that have begun.
    func close() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                state.isClosed = true
                if state.depth > 0 { state.whenEmpty = continuation }
                return state.depth == 0
            }
            if isEmpty { continuation.resume() }
        }
    }

    /// Only mirrors report early, and the keeper has none.
    func report(_ failure: any KnownError) {}

    func uncancelled<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        await BlockingWork.run(work)
    }
}
