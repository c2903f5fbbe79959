import ATPNetworking
import ATProtoIdentity
import ATProtoSessions
import Foundation
import Synchronization

@testable import BskyAuthCore

/// Caches in memory.
final class MemoryCaches: CacheStore {
    private let files = Mutex<[String: [UInt8]]>([:])
    private let log = Mutex<[String]>([])
    private let observer = Mutex<(@Sendable () -> Void)?>(nil)

    /// Has something looked at whenever anything is written.
    func observe(_ look: @escaping @Sendable () -> Void) { observer.withLock { $0 = look } }
    var names: [String] { files.withLock { $0.keys.sorted() } }
    /// What sessions have learned of their servers.
    var sessions: [String] { names.filter { $0.hasPrefix("sessions/") } }
    /// What was looked for, found or not.
    var reads: [String] { log.withLock(\.self) }
    func read(_ name: String) -> [UInt8]? {
        log.withLock { $0.append(name) }
        return files.withLock { $0[name] }
    }
    func write(_ name: String, _ content: [UInt8]) {
        observer.withLock(\.self)?()
        files.withLock { $0[name] = content }
    }
    func remove(_ name: String) { files.withLock { $0[name] = nil } }
}

/// Counts how deep it is.
final class CountedSection: CriticalSection {
    private let state = Mutex((depth: 0, entered: 0))
    private let interruption = Flag()
    private let told = Mutex<[any KnownError]>([])

    var depth: Int { state.withLock(\.depth) }
    var entered: Int { state.withLock(\.entered) }
    var isInterrupted: Bool { interruption.isSet }
    /// The failures that could not wait.
    var failures: [any KnownError] { told.withLock(\.self) }

    /// Has a signal arrive.
    func interrupt() { interruption.set() }

    func enter() {
        state.withLock {
            $0.depth += 1
            $0.entered += 1
        }
    }

    func leave() { state.withLock { $0.depth -= 1 } }

    func report(_ failure: any KnownError) { told.withLock { $0.append(failure) } }

    func uncancelled<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        await Task { await work() }.value
    }
}

/// A listener that a test visits in the browser's place.
final class ScriptedReceiver: RedirectReceiver {
    typealias Answer = @Sendable (String) async -> RedirectReceipt

    private struct Listener: RedirectListener {
        let port: Int
        let flag: Flag

        func close() async { flag.set(false) }
    }

    private let answer = Mutex<Answer?>(nil)
    private let flag = Flag()

    static let port = 43117
    var isOpen: Bool { flag.isSet }

    func listen(
        ports: ClosedRange<Int>?, path: String, answer: @escaping Answer
    ) async throws -> any RedirectListener {
        self.answer.withLock { $0 = answer }
        flag.set()
        return Listener(port: Self.port, flag: flag)
    }

    /// What the page would tell.
    func visit(_ query: String) async -> RedirectReceipt? {
        await answer.withLock(\.self)?(query)
    }
}

/// A flag that several can hold.
final class Flag: Sendable {
    private let flag = Mutex(false)

    var isSet: Bool { flag.withLock(\.self) }
    func set(_ value: Bool = true) { flag.withLock { $0 = value } }
}

/// A person at the browser.
final class ScriptedBrowser: BrowserOpener {
    typealias Behaviour = @Sendable (AuthorizationPrompt, LoginInProgress) async -> Void

    private let behaviour = Mutex<Behaviour?>(nil)
    private let shown = Mutex<[AuthorizationPrompt]>([])

    var prompts: [AuthorizationPrompt] { shown.withLock(\.self) }

    func does(_ behaviour: @escaping Behaviour) {
        self.behaviour.withLock { $0 = behaviour }
    }

    func present(_ authorization: AuthorizationPrompt, to pending: LoginInProgress) async {
        shown.withLock { $0.append(authorization) }
        await behaviour.withLock(\.self)?(authorization, pending)
    }
}
