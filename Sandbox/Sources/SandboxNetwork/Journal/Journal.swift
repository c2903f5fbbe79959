import Synchronization

/// All requests to the sandbox, one line each, in the order of arrival.
final class Journal: Sendable {
    private struct State {
        var next = 0
        var lines: [Int: JSONValue] = [:]
    }

    private let state = Mutex(State())

    /// Reserves the next line for a request that has just arrived.
    func begin() -> Int {
        state.withLock { state in
            state.next += 1
            return state.next
        }
    }

    func record(_ line: JSONValue, at place: Int) {
        state.withLock { $0.lines[place] = line }
    }

    func reset() {
        state.withLock { $0.lines = [:] }
    }

    /// The journal as JSON lines.
    var text: String {
        let lines = state.withLock { state in state.lines.sorted { $0.key < $1.key } }
        return lines.map { $0.value.text + "\n" }.joined()
    }
}
