import Synchronization

/// The active faults, with the number of requests that each one has matched.
final class FaultSet: Sendable {
    private struct Entry {
        let fault: Fault
        var matched = 0
        var met = 0
    }

    private let entries = Mutex<[Entry]>([])

    func replace(with faults: [Fault]) {
        entries.withLock { $0 = faults.map { Entry(fault: $0) } }
    }

    /// Whether any fault matches on the grant. The form has to be read first then.
    var needsGrant: Bool {
        entries.withLock { $0.contains { $0.fault.match.grant != nil } }
    }

    /// Counts a request and returns the actions that apply to it, in order.
    func actions(for exchange: Exchange, grant: String?) -> [Fault.Action] {
        entries.withLock { entries in
            var actions: [Fault.Action] = []
            for index in entries.indices where entries[index].fault.meets(exchange, grant: grant) {
                entries[index].matched += 1
                guard entries[index].matched > entries[index].fault.skip else { continue }
                if let times = entries[index].fault.times, entries[index].met >= times { continue }
                entries[index].met += 1
                actions.append(entries[index].fault.action)
            }
            return actions
        }
    }
}
