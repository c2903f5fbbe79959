import Foundation
import Synchronization
package import Testing

/// Runs few tests at once, because each starts many processes. Two for each core keep a machine busy.
package struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Self.places.take()
        defer { Self.places.leave() }
        try await function()
    }

    private static let places = Places(count: 2 * ProcessInfo.processInfo.activeProcessorCount)

    /// Places that are given in the order in which they were asked for.
    private final class Places: Sendable {
        private let state: Mutex<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

        init(count: Int) {
            state = Mutex((count, []))
        }

        func take() async {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    guard state.free > 0 else {
                        state.waiting.append(continuation)
                        return false
                    }
                    state.free -= 1
                    return true
                }
                if isFree { continuation.resume() }
            }
        }

        func leave() {
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard !state.waiting.isEmpty else {
                    state.free += 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
            next?.resume()
        }
    }
}

extension Trait where Self == FewAtOnce {
    package static var fewAtOnce: Self { Self() }
}
